// SPDX-License-Identifier: Apache-2.0
// What all-reduce has to say: time and bus bandwidth by size, ring against tree, kernels against the host.
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "gpu_shmem/runs/program_bench.h"

namespace contraflow::gpu_shmem {

void fill_all_reduce(face::report_data& report, const experiment& e, const std::vector<all_reduce_result>& runs);

}  // namespace contraflow::gpu_shmem
