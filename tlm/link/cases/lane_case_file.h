// SPDX-License-Identifier: Apache-2.0
// Files of lane cases, a list of {name, parameters, trace, expected}: reads them and writes results in the form of
// `expected`. Times are in cycles, amounts in phits. docs/lane_replay.md has the rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/json_reader.h"
#include "link/cases/lane_harness.h"
#include "link/lanes/lane_spec.h"

namespace contraflow::link {

struct lane_case {
    std::string name;
    lane_spec spec;
    std::vector<trace_row> trace;
    std::optional<replay_result> expected;
};

struct lane_case_file {
    std::vector<lane_case> cases;                // valid if there are no problems
    std::vector<config::json_problem> problems;  // up to a hundred
};
lane_case_file parse_lane_cases(std::string_view text);

// {"name": ..., "windows": [...], "served_ab": ..., "served_ba": ..., "drained": ..., "turns": ...}, a line for each
// window.
std::string to_json(const std::string& name, const replay_result& result);

// The first difference between a result and the expected one: "window 3 (end 4000): busy_ab is 1, expected 2"; empty if
// there is none.
std::string first_difference(const replay_result& result, const replay_result& expected);

}  // namespace contraflow::link
