// SPDX-License-Identifier: Apache-2.0
// What a comparison of links has to say, for the terminal and the report page.
#pragma once

#include <string>
#include <vector>

#include "face/report_data.h"
#include "numa_gpu/experiment.h"
#include "numa_gpu/machine_run.h"

namespace contraflow::numa_gpu {

struct compared_run {
    links kind = links::fixed;
    run_result result;
};
// A workload with every kind of links.
struct comparison {
    std::string workload;    // its name
    std::string parameters;  // "grid 1024, dimensions 2"
    std::vector<compared_run> runs;
    // Of the first kind over this one.
    double speed_up(std::size_t run) const;
    const compared_run* find(links kind) const;
};

// One row a run.
face::table comparison_table(const comparison& c, const std::string& id);
// Bandwidth by direction and the limit that lanes set, over time, for each link, with the faults that lanes had, and
// the kernels; of one run.
void add_links(const comparison& c, const compared_run& run, const std::vector<lane_fault>& faults,
               face::section& section, const std::string& id);
// Where requests spend their time.
face::chart stall_chart(const std::vector<comparison>& all, bool remote, const std::string& id);
std::string where_remote_loads_wait(const run_result& r);

// {workload, parameters, static: {time_ms, speed_up, ..., by_link}, dynamic: ..., double: ...}
nlohmann::ordered_json results_of(const comparison& c);

}  // namespace contraflow::numa_gpu
