// SPDX-License-Identifier: Apache-2.0
// How GPUs are joined, and by what links.
#pragma once

#include <optional>

#include "config/fields.h"
#include "gpu/network/pcie_network_spec.h"
#include "net/topology.h"

namespace contraflow::gpu {

struct network_spec : net::network_spec {
    std::optional<pcie_network_spec> pcie;  // a PCIe tree in place of these links
    // Topology and links: for platforms that study lanes that turn, which a PCIe tree has none of.
    static void describe(config::fields<network_spec>& f);
};

// The same, all of it to be configured.
struct any_network_spec : network_spec {
    static void describe(config::fields<any_network_spec>& f);
};

}  // namespace contraflow::gpu
