// SPDX-License-Identifier: Apache-2.0
#include "study/capacity_error.h"

#include <fmt/format.h>

namespace contraflow::study {

config::problem capacity_error(const gpu::cta_too_large& e, const workloads::selection& w,
                               const gpu::compute_unit_spec& unit) {
    using core::to_text;
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

config::problem too_large_for_the_host(const workloads::selection& w) {
    return {fmt::format("this computer has not enough memory to simulate the machine with {}", w.name()),
            {{"workload", "smaller parameters, or a smaller machine"},
             {"gpu.l2.bank.size", "less"},
             {"gpu.l1.size", "less"},
             {"gpu.units", "less"}}};
}

}  // namespace contraflow::study
