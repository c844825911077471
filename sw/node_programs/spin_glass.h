// SPDX-License-Identifier: Apache-2.0
// Over-relaxation of a Heisenberg spin glass, cut into slabs of planes, one slab a node. A half-sweep updates the sites
// of one parity: first the outer planes, which then travel to the neighbours while the inner planes are updated.
// Source of the method: M. Bernaschi et al., "Benchmarking GPU and CPU codes for Heisenberg spin
// glass over-relaxation", Computer Physics Communications 182 (2011).
#pragma once

#include "config/fields.h"
#include "node_programs/node_program_if.h"

namespace contraflow::node_programs {

struct spin_glass_spec {
    std::uint32_t side = 32;
    unsigned sweeps = 4;
    core::sim_time spin_time = core::sim_time::from_ns(1);
    std::uint64_t seed = 1;

    static void describe(config::fields<spin_glass_spec>& f);
};

// std::invalid_argument: the side is odd or no multiple of the ranks, or a slab has less than two planes.
std::unique_ptr<node_program_if> make_spin_glass(const spin_glass_spec& s, unsigned ranks);

}  // namespace contraflow::node_programs
