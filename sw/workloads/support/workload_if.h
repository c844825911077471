// SPDX-License-Identifier: Apache-2.0
// A GPU program with real data: kernels, the host's part, and a check of the result against the host's own computation.
#pragma once

#include <string>

#include "gpu/kernel/device_memory.h"
#include "gpu/kernel/gpu_system_if.h"
#include "gpu/kernel/task.h"

namespace contraflow::workloads {

class workload_if {
public:
    virtual ~workload_if() = default;
    // Makes the arrays; takes no simulated time. A page is placed on the GPU that touches it first in run().
    virtual void prepare(gpu::device_memory& memory) = 0;
    // Must live until the workload's kernels have ended.
    virtual gpu::host_task run(gpu::gpu_system_if& gpu) = 0;
    // Empty if the result is right, otherwise the first difference.
    virtual std::string verify(gpu::device_memory& memory) = 0;
};

}  // namespace contraflow::workloads
