// SPDX-License-Identifier: Apache-2.0
// Runs of one workload, compared, and their report on the terminal, on the page and in report.json.
#pragma once

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "remote_memory/memory_policy.h"
#include "remote_memory/run_result.h"
#include "study/study.h"

namespace contraflow::remote_memory {

inline double us(core::sim_time t) { return t.seconds() * 1e6; }

using comparison = study::comparison<memory_policy, run_result>;
using compared_run = comparison::run;

// The run that others are compared with: the run on one GPU, otherwise the first.
const compared_run& reference_of(const comparison& c);
double speed_up(const comparison& c, const compared_run& run);

// The number of uses of a page by the GPU it moved to, and the results of these moves.
struct move_uses {
    std::vector<std::uint64_t> uses;  // requests per stay, ascending
    std::uint64_t went_back = 0;      // moves back to an earlier GPU of the page
    std::uint64_t median() const { return uses.empty() ? 0 : uses[uses.size() / 2]; }
};
move_uses uses_of(const run_result& r);
// The number of accesses after which a move pays, by the extra time of a remote access over a local one,
// and by the bytes that go over the network.
struct break_even {
    double by_time = 0, by_bytes = 0;
};
break_even break_even_of(const run_result& dca, const run_result& moving);

// --- the report of each workload
face::table comparison_table(const comparison& c);
face::table levels_table(const comparison& c);
face::table migration_table(const comparison& c);
face::table stayed_table(const comparison& c);
void add_latency(const comparison& c, face::section& to);
void add_path(const comparison& c, face::section& to);
void add_traffic(const comparison& c, face::section& to);
void add_pages(const comparison& c, face::section& to);
void add_moves(const comparison& c, face::section& to);
// `explained`: with the meanings of the policies' names, once per report.
std::vector<std::string> headline_of(const comparison& c, bool explained);
nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run);

}  // namespace contraflow::remote_memory
