// SPDX-License-Identifier: Apache-2.0
// The parameters of a compute unit. Defaults: a streaming multiprocessor of the Volta class, with its 64 wavefronts and
// 32 CTAs (NVIDIA's white paper on the V100). Its counters of a wavefront's loads have 6 bits, as GCN's; Volta's
// scoreboard counts as many.
#pragma once

#include "config/fields.h"
#include "core/units.h"
#include "gpu/kernel/mask.h"
#include "memory/vm/tlb_spec.h"
#include "memory/vm/translation.h"

namespace contraflow::gpu {

struct compute_unit_spec {
    unsigned wave_slots = 64;
    unsigned wave_width = default_wave_width;
    unsigned lanes = 32;
    unsigned cta_slots = 32;
    core::bytes scratchpad{96u << 10};
    unsigned scratchpad_banks = 32;
    unsigned schedulers = 4;
    unsigned outstanding = 256;
    unsigned wave_loads = 63;

    // Set by the machine, not by a configuration.
    core::bytes line{128};
    core::sim_time cycle = core::sim_time::from_ns(1);
    unsigned socket = 0;
    unsigned number = 0;  // within the socket
    // From the moment when a store to a page that is not cached has taken effect until the wavefront knows of it.
    core::sim_time uncached_store{};
    // The level of address translation below the unit's own TLB; null: translation takes no time.
    memory::translation_server* translation = nullptr;
    memory::tlb_spec l1_tlb;

    // That an instruction of a wavefront takes.
    unsigned issue_cycles() const { return wave_width > lanes ? wave_width / lanes : 1; }
    // Wavefronts of one scheduler.
    unsigned scheduler_slots() const { return (wave_slots + schedulers - 1) / schedulers; }

    static void describe(config::fields<compute_unit_spec>& f);
    // Throws std::invalid_argument if no unit can be built from this.
    void check() const;
};

}  // namespace contraflow::gpu
