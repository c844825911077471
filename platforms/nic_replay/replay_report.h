// SPDX-License-Identifier: Apache-2.0
// The report on played cases: a table, the differences, and the core's cycles by routine.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "face/results/report_data.h"
#include "nic/receive/receive_replay.h"
#include "nic_replay/replay_spec.h"

namespace contraflow::nic_replay {

struct played_case {
    played_case(const nic::receive_case& c, nic::replay_outcome o)
        : given(&c),
          outcome(std::move(o)),
          difference(c.expected ? nic::first_difference(outcome.result, *c.expected) : "") {
        if (difference.empty()) difference = outcome.not_conserved;
    }
    const nic::receive_case* given;
    nic::replay_outcome outcome;
    std::string difference;  // from the expected result, or between levels; empty if there is none
};

// Reports the cases that were played, out of `all`. Returns the number of results that differ from the expected ones.
std::size_t fill(face::report_data& report, const replay_spec& spec, const std::vector<played_case>& played,
                 std::size_t all, const nic_levels::core_profile& profile);

// See face::program_if::results_form().
nlohmann::ordered_json results_form(const replay_spec& spec, const std::vector<nic::receive_case>& cases);

}  // namespace contraflow::nic_replay
