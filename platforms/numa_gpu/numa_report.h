// SPDX-License-Identifier: Apache-2.0
// The report of a comparison of links, for the terminal and the page.
#pragma once

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "numa_gpu/experiment.h"
#include "numa_gpu/machine_run.h"
#include "study/study.h"

namespace contraflow::numa_gpu {

using comparison = study::comparison<links, run_result>;
using compared_run = comparison::run;

// One row per run.
face::table comparison_table(const comparison& c, const std::string& id);
// Bandwidth by direction and the limit that lanes set, over time, for each link, with the faults that lanes had, and
// the kernels; of one run.
void add_links(const comparison& c, const compared_run& run, const std::vector<lanes::lane_fault>& faults,
               face::section& section, const std::string& id);
// The stages in which requests spend their time.
face::chart stall_chart(const std::vector<comparison>& all, bool remote, const std::string& id);
std::string where_remote_loads_wait(const run_result& r);
// For a run with dynamic links in which no lane has turned; else "". `lanes` are those of its links.
std::string why_none_turned(const compared_run& run, const link::lane_spec& lanes);

// For a run whose lanes have turned, compared with static links: an estimate of what turning could bring; else "".
std::string what_turning_could_bring(const comparison& c, const compared_run& run, const link::lane_spec& lanes);

// {time_ms, speed_up, ..., by_link}
nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run, const link::lane_spec& lanes);

}  // namespace contraflow::numa_gpu
