// SPDX-License-Identifier: Apache-2.0
// What programs by scheme have to say: Jacobi's time a step, and ping-pong's.
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "gpu_shmem/runs/program_bench.h"

namespace contraflow::gpu_shmem {

void fill_jacobi(face::report_data& report, const experiment& e, const std::vector<scheme_result>& runs);
void fill_ping_pong(face::report_data& report, const experiment& e, const std::vector<scheme_result>& runs);

}  // namespace contraflow::gpu_shmem
