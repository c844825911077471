// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/capacity_errors.h"

#include <fmt/format.h>

namespace contraflow::unified_gpu {

using core::to_text;

config::problem capacity_error(const host::gpu_memory_full& e, const workloads::selection& w,
                               const machine_spec& machine) {
    const core::bytes enough{machine.gpu.dram.size.count + e.wanted().count - e.free().count};
    config::problem p{
        fmt::format("{}: an array takes {} of GPU {}, of whose {} only {} are free", w.name(), to_text(e.wanted()),
                    e.gpu(), to_text(machine.gpu.dram.size), to_text(e.free())),
        {{"gpu.dram.size", fmt::format("at least {}, and more where further arrays follow", to_text(enough))},
         {"workload", "smaller parameters"}}};
    if (machine.gpus == 1) p.suspects.push_back({"compare", "without one_gpu, whose memory holds all pages"});
    return p;
}

config::problem capacity_error(const memory::table_full& e, const workloads::selection& w) {
    return {fmt::format("{}: the page tables do not fit into the host's memory, {}", w.name(), to_text(e.has())),
            {{"host_memory.dram.size", fmt::format("more than {}", to_text(e.has()))},
             {"page_size", "larger pages, which need fewer tables"},
             {"workload", "smaller parameters"}}};
}

config::problem capacity_error(const traces::rights_not_kept& e, const workloads::selection& w) {
    return {fmt::format("{}: {}", w.name(), e.what()),
            {{"translation.mode", "timed"}, {"workload.file", "a trace without read_only arrays"}}};
}

}  // namespace contraflow::unified_gpu
