// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/misfit.h"

#include <fmt/format.h>

namespace contraflow::unified_gpu {

using core::to_text;

config::problem misfit(const host::gpu_memory_full& e, const workloads::selection& w, const machine_spec& machine) {
    const core::bytes enough{machine.gpu.dram.size.count + e.wanted().count - e.free().count};
    config::problem p{
        fmt::format("{}: an array takes {} of GPU {}, of whose {} only {} are free", w.name(), to_text(e.wanted()),
                    e.gpu(), to_text(machine.gpu.dram.size), to_text(e.free())),
        {{"gpu.dram.size", fmt::format("at least {}, and more where further arrays follow", to_text(enough))},
         {"workload", "smaller parameters"}}};
    if (machine.gpus == 1) p.suspects.push_back({"compare", "without one_gpu, whose memory holds all pages"});
    return p;
}

config::problem misfit(const memory::table_full& e, const workloads::selection& w) {
    return {fmt::format("{}: the page tables do not fit into the host's memory, {}", w.name(), to_text(e.has())),
            {{"host_memory.dram.size", fmt::format("more than {}", to_text(e.has()))},
             {"page_size", "larger pages, which need fewer tables"},
             {"workload", "smaller parameters"}}};
}

config::problem misfit(const gpu::cta_too_large& e, const workloads::selection& w, const machine_spec& machine) {
    const auto& unit = machine.gpu.unit;
    config::problem p{fmt::format("{}, kernel {}: a CTA of {} wavefronts and {} of scratchpad fits no unit, which has "
                                  "{} and {}",
                                  w.name(), e.kernel(), e.waves(), to_text(e.shared()), unit.wave_slots,
                                  to_text(unit.scratchpad)),
                      {}};
    if (e.waves() > unit.wave_slots)
        p.suspects.push_back({"gpu.unit.wave_slots", fmt::format("at least {}", e.waves())});
    if (e.shared() > unit.scratchpad) p.suspects.push_back({"gpu.unit.scratchpad", "at least " + to_text(e.shared())});
    const auto first = p.suspects.front();
    p.suspects.push_back(
        {"workload", fmt::format("parameters with smaller CTAs, or {} {}", first.path, first.allowed)});
    return p;
}

config::problem misfit(const traces::rights_not_kept& e, const workloads::selection& w) {
    return {fmt::format("{}: {}", w.name(), e.what()),
            {{"translation.mode", "timed"}, {"workload.file", "a trace without read_only arrays"}}};
}

config::problem too_large_for_the_host(const workloads::selection& w) {
    return {fmt::format("this computer has not enough memory to simulate the machine with {}", w.name()),
            {{"workload", "smaller parameters, or a smaller machine"},
             {"gpu.l2.bank.size", "less"},
             {"gpu.l1.size", "less"},
             {"gpu.units", "less"}}};
}

}  // namespace contraflow::unified_gpu
