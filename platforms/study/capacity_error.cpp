// SPDX-License-Identifier: Apache-2.0
#include "study/capacity_error.h"

#include <fmt/format.h>

#include "gpu/dispatch/cta_too_large.h"
#include "memory/vm/page_table.h"
#include "traces/replay.h"

namespace contraflow::study {

namespace {

using core::to_text;

config::problem problem_of(const gpu::cta_too_large& e, const workloads::selection& w,
                           const gpu::compute_unit_spec& unit) {
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

config::problem problem_of(const memory::memory_full& e, const workloads::selection& w) {
    return {fmt::format("{} takes {} in whole pages, and all sockets together have less, {} each", w.name(),
                        to_text(e.allocated()), to_text(e.socket_has())),
            {{"gpu.dram.size", "at least " + to_text(e.socket_needs())},
             {"workload", fmt::format("smaller parameters, or gpu.dram.size: {}", to_text(e.socket_needs()))}}};
}

config::problem problem_of(const traces::rights_not_kept& e, const workloads::selection& w) {
    return {fmt::format("{}: {}", w.name(), e.what()), {{"workload.file", "a trace whose arrays may all be written"}}};
}

config::problem problem_of(const traces::other_wave_width& e, const workloads::selection& w) {
    return {fmt::format("{}: {}", w.name(), e.what()),
            {{"gpu.unit.wave_width", std::to_string(e.of_trace())},
             {"workload.file", "a trace of this machine's wavefronts"}}};
}

}  // namespace

std::optional<config::problem> capacity_problem(const std::exception& e, const workloads::selection& w,
                                                const gpu::gpu_parts& machine) {
    if (const auto* cta = dynamic_cast<const gpu::cta_too_large*>(&e)) return problem_of(*cta, w, machine.unit);
    if (const auto* full = dynamic_cast<const memory::memory_full*>(&e)) return problem_of(*full, w);
    if (const auto* rights = dynamic_cast<const traces::rights_not_kept*>(&e)) return problem_of(*rights, w);
    if (const auto* width = dynamic_cast<const traces::other_wave_width*>(&e)) return problem_of(*width, w);
    return std::nullopt;
}

config::problem too_large_for_the_host(const workloads::selection& w) {
    return {fmt::format("this computer has not enough memory to simulate the machine with {}", w.name()),
            {{"workload", "smaller parameters, or a smaller machine"},
             {"gpu.l2.bank.size", "less"},
             {"gpu.l1.size", "less"},
             {"gpu.units", "less"}}};
}

}  // namespace contraflow::study
