// SPDX-License-Identifier: Apache-2.0
// How GPUs are connected: by reversible links in some topology, or by a PCIe tree.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "config/fields.h"
#include "gpu/network/pcie_network_spec.h"
#include "net/topology.h"

namespace contraflow::gpu {

// A PCIe tree; or a net::topology of links, by the same value.
enum class network_kind : int {
    pcie = -1,
    central_switch = static_cast<int>(net::topology::central_switch),
    fully_connected = static_cast<int>(net::topology::fully_connected),
    ring = static_cast<int>(net::topology::ring),
    mesh = static_cast<int>(net::topology::mesh),
    torus = static_cast<int>(net::topology::torus),
    tree = static_cast<int>(net::topology::tree),
};
constexpr network_kind of_links(net::topology t) { return static_cast<network_kind>(t); }

struct network_spec : net::network_spec {
    bool in_pcie_tree = false;  // instead of the links
    pcie_network_spec pcie;

    network_kind kind() const;
    void set_kind(network_kind k);
    static void describe(config::fields<network_spec>& f);
};

// "a switch", "a PCIe tree"
std::string network_name(network_kind k);

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::network_kind> {
    using kind = contraflow::gpu::network_kind;
    static constexpr auto names = [] {
        constexpr auto& topologies = enum_names<contraflow::net::topology>::names;
        std::array<std::pair<kind, const char*>, topologies.size() + 1> all{std::pair{kind::pcie, "pcie"}};
        for (std::size_t i = 0; i < topologies.size(); ++i)
            all[i + 1] = {contraflow::gpu::of_links(topologies[i].first), topologies[i].second};
        return all;
    }();
    static constexpr auto& renamed = enum_names<contraflow::net::topology>::renamed;
};
