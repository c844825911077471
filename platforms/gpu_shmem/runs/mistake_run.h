// SPDX-License-Identifier: Apache-2.0
// A kernel of PE 0 that does something wrong. The run ends with the error of the call, or of the wait that sees what
// the NIC has reported; PE 1's heap must be as it was, but for puts that were right.
#pragma once

#include "gpu_shmem/runs/program_bench.h"

namespace contraflow::gpu_shmem {

struct mistake_result : runner::run_outcome {
    std::string said;                 // the error
    std::uint64_t changed_bytes = 0;  // of the heaps of other PEs, that no right put explains
};
mistake_result run_mistake(const experiment& e, const runner::limits& limits, const run_view& view = {});

}  // namespace contraflow::gpu_shmem
