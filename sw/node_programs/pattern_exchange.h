// SPDX-License-Identifier: Apache-2.0
// Rounds in which every node sends a block of bytes to each of its peers, and waits for a block from each: all-to-all,
// where all others are peers, and halo, where peers are the neighbours on the torus along each axis.
// Each byte depends on sender, receiver and round, and is compared when the block has arrived.
#pragma once

#include <array>
#include <utility>

#include "config/fields.h"
#include "node_programs/node_program_if.h"

namespace contraflow::node_programs {

enum class exchange_kind : std::uint8_t { all_to_all, halo };

struct exchange_spec {
    exchange_kind kind = exchange_kind::all_to_all;
    core::bytes block{4096};
    unsigned rounds = 4;

    static void describe(config::fields<exchange_spec>& f);
};

// `positions` of all ranks. std::invalid_argument: there is no pair of peers.
std::unique_ptr<node_program_if> make_exchange(const exchange_spec& s, const std::vector<nic::position>& positions);

}  // namespace contraflow::node_programs

template <> struct contraflow::config::enum_names<contraflow::node_programs::exchange_kind> {
    using kind = contraflow::node_programs::exchange_kind;
    static constexpr std::array names{std::pair{kind::all_to_all, "all_to_all"}, std::pair{kind::halo, "halo"}};
};
