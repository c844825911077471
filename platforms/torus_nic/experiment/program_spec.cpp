// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/experiment/program_spec.h"

#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::torus_nic {

void program_spec::describe(config::fields<program_spec>& f) {
    f("run", &program_spec::run)
        .text("programs, a run each: spin_glass, all_to_all, halo, all_reduce, bfs; all nodes take part");
    f("p2p", &program_spec::p2p)
        .text("how messages travel, each program once for each: rx_tx: from GPU to GPU; rx: copied to the host's "
              "memory, and from there into the other GPU; off: copied at both ends");
    f("spin_glass", &program_spec::spin_glass).text("over-relaxation of a Heisenberg spin glass");
    f("block", &program_spec::block)
        .in({1}, {1u << 22})
        .text("all_to_all, halo: data that a node sends to each peer in a round");
    f("rounds", &program_spec::rounds).in(1, 10'000).text("all_to_all, halo: rounds, one after the other");
    f("all_reduce", &program_spec::all_reduce).text("sum of vectors by a ring");
    f("bfs", &program_spec::bfs).text("breadth-first search");
}

std::string program_choice::text() const {
    if (p2p == peer_to_peer::rx_tx) return std::string(config::name_of(kind));
    return fmt::format("{}, p2p {}", config::name_of(kind), config::name_of(p2p));
}

std::string program_choice::id() const {
    if (p2p == peer_to_peer::rx_tx) return std::string(config::name_of(kind));
    return fmt::format("{}_{}", config::name_of(kind), config::name_of(p2p));
}

std::vector<program_choice> choices_of(const program_spec& s) {
    std::vector<program_choice> all;
    for (const program_kind kind : s.run)
        for (const peer_to_peer p2p : s.p2p) all.push_back({kind, p2p});
    return all;
}

std::unique_ptr<node_programs::node_program_if> make_program(program_kind k, const program_spec& s,
                                                             const std::vector<nic::position>& positions) {
    using node_programs::exchange_kind;
    const auto ranks = static_cast<unsigned>(positions.size());
    switch (k) {
    case program_kind::spin_glass: return node_programs::make_spin_glass(s.spin_glass, ranks);
    case program_kind::all_to_all:
        return node_programs::make_exchange({exchange_kind::all_to_all, s.block, s.rounds}, positions);
    case program_kind::halo: return node_programs::make_exchange({exchange_kind::halo, s.block, s.rounds}, positions);
    case program_kind::all_reduce: return node_programs::make_all_reduce(s.all_reduce, ranks);
    case program_kind::bfs: return node_programs::make_bfs(s.bfs, ranks);
    }
    throw std::logic_error("no such program");
}

}  // namespace contraflow::torus_nic
