// SPDX-License-Identifier: Apache-2.0
// Every kind of network between GPUs; and each with the smallest buffers that take a line.
#pragma once

#include <array>
#include <memory>
#include <ostream>
#include <string>

#include "core/simulation.h"
#include "gpu/network/network_spec.h"
#include "gpu/network/pcie_network.h"
#include "net/network.h"

namespace contraflow::gpu {

inline void PrintTo(network_kind kind, std::ostream* to) { *to << config::name_of(kind); }

}  // namespace contraflow::gpu

namespace contraflow::gpu::testing {

// The networks of links, and a PCIe tree.
inline constexpr auto all_networks = [] {
    constexpr auto& names = config::enum_names<network_kind>::names;
    std::array<network_kind, names.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = names[(i + 1) % all.size()].first;
    return all;
}();

inline std::string name_of(network_kind kind) { return std::string(config::name_of(kind)); }

inline network_spec network_of(network_kind kind) {
    network_spec n;
    n.set_kind(kind);
    return n;
}

// A queue has room for one packet, a receive buffer for one line with header and byte enables. One read may be pending.
inline network_spec tiny_network(network_kind kind) {
    network_spec n = network_of(kind);
    n.link.queue = 1;
    n.link.receive_buffer = {160};
    n.link.lanes.lanes_per_direction = 2;
    if (!n.in_pcie_tree) return n;
    n.pcie.link = {3, 16};  // the rate for which the given buffer sizes hold
    n.pcie.queue = 1;
    n.pcie.tags = 1;
    n.pcie.posted_headers = n.pcie.non_posted_headers = n.pcie.completion_headers = 1;
    n.pcie.posted_data = n.pcie.completion_data = n.pcie.max_payload;
    n.pcie.non_posted_data = {256};
    n.pcie.replay_tlps = 1;
    return n;
}

inline std::unique_ptr<net::network_if> make_network(const network_spec& n, core::simulation& sim,
                                                     observe::statistics& statistics, unsigned gpus) {
    if (n.in_pcie_tree)
        return std::make_unique<pcie_network>("pcie", pcie::port::resources{sim.events(), statistics}, n.pcie,
                                              memory::address_map(gpus, {1u << 20}));
    return std::make_unique<net::network>("",
                                          link::reversible_link::resources{sim.events(), statistics,
                                                                           core::sim_time::from_ns(1),
                                                                           core::sim_time::from_us(5)},
                                          n, gpus);
}

}  // namespace contraflow::gpu::testing
