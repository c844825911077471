// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/capacity_errors.h"

#include <fmt/format.h>

namespace contraflow::numa_gpu {

using core::to_text;

config::problem capacity_error(const memory::memory_full& e, const workloads::selection& w) {
    return {fmt::format("{} takes {} in whole pages, and all sockets together have less, {} each", w.name(),
                        to_text(e.allocated()), to_text(e.socket_has())),
            {{"gpu.dram.size", "at least " + to_text(e.socket_needs())},
             {"workload", fmt::format("smaller parameters, or gpu.dram.size: {}", to_text(e.socket_needs()))}}};
}

config::problem capacity_error(const traces::rights_not_kept& e, const workloads::selection& w) {
    return {fmt::format("{}: {}", w.name(), e.what()), {{"workload.file", "a trace whose arrays may all be written"}}};
}

}  // namespace contraflow::numa_gpu
