// SPDX-License-Identifier: Apache-2.0
// What a kernel's mistake has to say.
#pragma once

#include "face/results/report_data.h"
#include "gpu_shmem/runs/mistake_run.h"

namespace contraflow::gpu_shmem {

void fill_mistake(face::report_data& report, const experiment& e, const mistake_result& r);

}  // namespace contraflow::gpu_shmem
