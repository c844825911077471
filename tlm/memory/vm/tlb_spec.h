// SPDX-License-Identifier: Apache-2.0
// The parameters of a TLB. Defaults: that of a compute unit in MGPUSim's R9 Nano (one set of 64 ways).
#pragma once

#include <string>

#include "config/fields.h"
#include "core/units.h"
#include "memory/transaction/milestones.h"

namespace contraflow::memory {

struct tlb_spec {
    unsigned sets = 1;
    unsigned ways = 64;
    std::string replacement = "lru";
    unsigned mshrs = 16;
    unsigned mshr_targets = 64;
    unsigned queue = 16;
    unsigned lookups = 1;
    core::cycles hit_latency{1};
    core::cycles fill_latency{1};
    core::cycles invalidate_latency{4};

    // Set by the machine, not by a configuration.
    core::sim_time cycle = core::sim_time::from_ns(1);
    stage level = stage::l1_tlb;
    std::uint64_t seed = 1;

    static void describe(config::fields<tlb_spec>& f);
    // Throws std::invalid_argument if no TLB can be built from this.
    void check() const;
};

}  // namespace contraflow::memory
