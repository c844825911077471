// SPDX-License-Identifier: Apache-2.0
// All-reduce by a ring: every node has a vector of 32-bit integers in its GPU and ends with the sum of all vectors. In
// ranks - 1 steps shares of the vector are added up around the ring; in as many steps the sums are passed on around it.
#pragma once

#include "config/fields.h"
#include "node_programs/node_program_if.h"

namespace contraflow::node_programs {

struct all_reduce_spec {
    core::bytes vector{256u << 10};
    unsigned rounds = 1;
    core::bandwidth add_rate = core::bandwidth::from_gb_per_s(50);
    std::uint64_t seed = 1;

    static void describe(config::fields<all_reduce_spec>& f);
};

// std::invalid_argument: fewer than two ranks, or a vector that has no whole integers for each.
std::unique_ptr<node_program_if> make_all_reduce(const all_reduce_spec& s, unsigned ranks);

}  // namespace contraflow::node_programs
