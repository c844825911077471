// SPDX-License-Identifier: Apache-2.0
// Runs of one workload side by side, and what is to be said of them on the terminal, on the page and in report.json.
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

// The run that others are compared with: on one GPU, else the first.
const compared_run& reference_of(const comparison& c);
double speed_up(const comparison& c, const compared_run& run);

// How often the GPU to which a page has moved used it there, and what became of these moves.
struct move_uses {
    std::vector<std::uint64_t> uses;  // requests a stay, from the least
    std::uint64_t went_back = 0;      // moves to where the page had been before
    std::uint64_t median() const { return uses.empty() ? 0 : uses[uses.size() / 2]; }
};
move_uses uses_of(const run_result& r);
// After how many accesses a move has paid, by the time that a remote access takes longer than one to the own memory,
// and by the bytes that go over the network.
struct break_even {
    double by_time = 0, by_bytes = 0;
};
break_even break_even_of(const run_result& dca, const run_result& moving);

// --- what the report has of each workload
face::table comparison_table(const comparison& c);
face::table levels_table(const comparison& c);
face::table migration_table(const comparison& c);
face::table stayed_table(const comparison& c);
void add_latency(const comparison& c, face::section& to);
void add_path(const comparison& c, face::section& to);
void add_traffic(const comparison& c, face::section& to);
void add_pages(const comparison& c, face::section& to);
void add_moves(const comparison& c, face::section& to);
// `explained`: with what the policies' names stand for, once a report.
std::vector<std::string> headline_of(const comparison& c, bool explained);
nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run);

}  // namespace contraflow::remote_memory
