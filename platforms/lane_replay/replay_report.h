// SPDX-License-Identifier: Apache-2.0
// The report on played cases: a table, the differences, and lanes over time for the page.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cosim/controller_level.h"
#include "face/results/report_data.h"
#include "link/cases/lane_case_file.h"

namespace contraflow::lane_replay {

struct played_case {
    played_case(const link::lane_case& c, link::replay_result r)
        : given(&c),
          result(std::move(r)),
          difference(c.expected ? link::first_difference(result, *c.expected) : "") {}
    const link::lane_case* given;
    link::replay_result result;
    std::string difference;  // from the expected result; empty if there is none
};

// Reports the cases that were played, out of `all`. Returns the number of results that differ from the expected ones.
std::size_t fill(face::report_data& report, cosim::controller_level level, const std::vector<played_case>& played,
                 std::size_t all);

// See face::program_if::results_form().
nlohmann::ordered_json results_form(const std::vector<link::lane_case>& cases);

}  // namespace contraflow::lane_replay
