// SPDX-License-Identifier: Apache-2.0
// How GPUs are joined, and by what links.
#pragma once

#include <optional>

#include "config/fields.h"
#include "gpu/pcie_network_spec.h"
#include "link/link_spec.h"

namespace contraflow::gpu {

enum class topology {
    central_switch,   // a link from each socket to a switch; its ends a: sockets
    fully_connected,  // a link for each pair of sockets
    ring,             // a link to each neighbour; packets take the shorter way round
    mesh,             // rows and columns, row by row; packets go along their row first, then along a column
};

struct network_spec {
    gpu::topology topology = topology::central_switch;
    unsigned mesh_columns = 0;  // 0: as near to a square as whole rows allow
    link::link_spec link;
    std::optional<pcie_network_spec> pcie;  // a PCIe tree in place of these links
    // Of a mesh of that many GPUs.
    unsigned columns(unsigned gpus) const;
    // Topology and links: for platforms that study lanes that turn, which a PCIe tree has none of.
    static void describe(config::fields<network_spec>& f);
};

// The same, all of it to be configured.
struct any_network_spec : network_spec {
    static void describe(config::fields<any_network_spec>& f);
};

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::topology> {
    static constexpr std::array names{std::pair{contraflow::gpu::topology::central_switch, "switch"},
                                      std::pair{contraflow::gpu::topology::fully_connected, "fully_connected"},
                                      std::pair{contraflow::gpu::topology::ring, "ring"},
                                      std::pair{contraflow::gpu::topology::mesh, "mesh"}};
};
