// SPDX-License-Identifier: Apache-2.0
// How GPUs are connected: by reversible links in some topology, or by a PCIe tree.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "config/fields.h"
#include "gpu/network/pcie_network_spec.h"
#include "net/topology.h"

namespace contraflow::gpu {

enum class network_kind { pcie, central_switch, fully_connected, ring, mesh, torus, tree };

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
    using e = contraflow::gpu::network_kind;
    static constexpr std::array names{std::pair{e::pcie, "pcie"},
                                      std::pair{e::central_switch, "switch"},
                                      std::pair{e::fully_connected, "fully_connected"},
                                      std::pair{e::ring, "ring"},
                                      std::pair{e::mesh, "mesh"},
                                      std::pair{e::torus, "torus"},
                                      std::pair{e::tree, "tree"}};
};
