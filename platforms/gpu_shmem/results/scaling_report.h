// SPDX-License-Identifier: Apache-2.0
// What programs on several numbers of nodes have to say: time, and how many times faster they are than on one node.
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "gpu_shmem/runs/program_bench.h"

namespace contraflow::gpu_shmem {

void fill_jacobi_scaling(face::report_data& report, const experiment& e, const std::vector<scaled_result>& runs);
// `lower`: the triangle that was solved.
void fill_triangular_solve(face::report_data& report, const experiment& e, const workloads::csr_matrix& lower,
                           const std::vector<scaled_result>& runs);

void fill_bfs(face::report_data& report, const experiment& e, const workloads::csr_graph& graph,
              const std::vector<scaled_result>& runs);

}  // namespace contraflow::gpu_shmem
