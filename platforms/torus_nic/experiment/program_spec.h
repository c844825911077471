// SPDX-License-Identifier: Apache-2.0
// Which programs of all nodes run, and with what parameters.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "node_programs/distributed_bfs.h"
#include "node_programs/pattern_exchange.h"
#include "node_programs/ring_all_reduce.h"
#include "node_programs/spin_glass.h"

namespace contraflow::torus_nic {

enum class program_kind : std::uint8_t { spin_glass, all_to_all, halo, all_reduce, bfs };

using node_programs::peer_to_peer;

struct program_spec {
    std::vector<program_kind> run{program_kind::spin_glass, program_kind::all_to_all, program_kind::halo,
                                  program_kind::all_reduce, program_kind::bfs};
    std::vector<peer_to_peer> p2p{peer_to_peer::rx_tx};
    node_programs::spin_glass_spec spin_glass;
    core::bytes block{4096};
    unsigned rounds = 4;
    node_programs::all_reduce_spec all_reduce;
    node_programs::bfs_spec bfs;

    static void describe(config::fields<program_spec>& f);
};

// One run: a program, and how its messages travel.
struct program_choice {
    program_kind kind{};
    peer_to_peer p2p = peer_to_peer::rx_tx;

    std::string text() const;  // "bfs, p2p off"; without the latter if it is rx_tx
    std::string id() const;    // "bfs_off", or "bfs"
};
std::vector<program_choice> choices_of(const program_spec& s);

// Throws if the parameters are wrong for that number of nodes.
std::unique_ptr<node_programs::node_program_if> make_program(program_kind k, const program_spec& s,
                                                             const std::vector<nic::position>& positions);

}  // namespace contraflow::torus_nic

template <> struct contraflow::config::enum_names<contraflow::torus_nic::program_kind> {
    using e = contraflow::torus_nic::program_kind;
    static constexpr std::array names{std::pair{e::spin_glass, "spin_glass"}, std::pair{e::all_to_all, "all_to_all"},
                                      std::pair{e::halo, "halo"}, std::pair{e::all_reduce, "all_reduce"},
                                      std::pair{e::bfs, "bfs"}};
};
