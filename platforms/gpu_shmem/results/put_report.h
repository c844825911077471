// SPDX-License-Identifier: Apache-2.0
// What puts have to say: latency by size and number of workgroups, the parts of one put, what templates save.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "face/results/report_data.h"
#include "gpu_shmem/runs/program_bench.h"

namespace contraflow::gpu_shmem {

void fill(face::report_data& report, const experiment& e, const std::vector<put_result>& runs);

// For reports: which model each part was.
std::vector<std::pair<std::string, std::string>> levels_of();

}  // namespace contraflow::gpu_shmem
