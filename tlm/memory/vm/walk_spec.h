// SPDX-License-Identifier: Apache-2.0
// The parameters of page table walkers. Defaults: the IOMMU of MGPUSim (16 walks of 100 cycles at a time). Its queue is
// unbounded; this one is as long as the MSHRs of a large L2 TLB.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "config/fields.h"
#include "core/units.h"
#include "memory/transaction/milestones.h"

namespace contraflow::memory {

enum class walk_kind {
    fixed,   // a walk takes that many cycles
    memory,  // a walk reads the entries from memory
};

struct walk_spec {
    unsigned walkers = 16;
    unsigned queue = 64;
    walk_kind kind = walk_kind::fixed;
    core::cycles latency{100};
    core::cycles step{1};
    unsigned cached = 32;
    core::cycles invalidate_latency{4};

    // Set by the machine, not by a configuration.
    core::sim_time cycle = core::sim_time::from_ns(1);
    core::sim_time distance{};  // to it
    stage level = stage::iommu;

    static void describe(config::fields<walk_spec>& f);
    // Throws std::invalid_argument if nothing can be built from this.
    void check() const;
};

}  // namespace contraflow::memory

template <> struct contraflow::config::enum_names<contraflow::memory::walk_kind> {
    static constexpr std::array names{std::pair{contraflow::memory::walk_kind::fixed, "fixed"},
                                      std::pair{contraflow::memory::walk_kind::memory, "memory"}};
};
