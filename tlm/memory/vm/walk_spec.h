// SPDX-License-Identifier: Apache-2.0
// What walks page tables, given. Defaults: the IOMMU of MGPUSim (16 walks of 100 cycles at a time); its queue has no
// bound, ours is as long as the MSHRs of a large L2 TLB.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "config/fields.h"
#include "core/units.h"
#include "memory/transaction/milestones.h"

namespace contraflow::memory {

enum class walk_kind {
    fixed,   // a walk takes so many cycles
    memory,  // a walk reads the entries where they stand
};

struct walk_spec {
    unsigned walkers = 16;
    unsigned queue = 64;
    walk_kind kind = walk_kind::fixed;
    core::cycles latency{100};
    core::cycles step{1};
    unsigned cached = 32;
    core::cycles invalidate_latency{4};

    // What its place in the machine gives, not a configuration.
    core::sim_time cycle = core::sim_time::from_ns(1);
    core::sim_time distance{};  // to it
    stage level = stage::iommu;

    static void describe(config::fields<walk_spec>& f);
    // Throws std::invalid_argument on what nothing can be built from.
    void check() const;
};

}  // namespace contraflow::memory

template <> struct contraflow::config::enum_names<contraflow::memory::walk_kind> {
    static constexpr std::array names{std::pair{contraflow::memory::walk_kind::fixed, "fixed"},
                                      std::pair{contraflow::memory::walk_kind::memory, "memory"}};
};
