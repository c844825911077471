// SPDX-License-Identifier: Apache-2.0
// GPUs in a PCIe tree: a root complex, switches below it, and a number of GPUs below each switch. Sources of the
// defaults: PCIe 4.0 x16 and 140 cycles a switch from "Multi-GPU Support in MGPUSim", whose root complex is a switch as
// well; the rest is tlm/pcie's own.
#pragma once

#include <optional>
#include <string>

#include "config/tree/problem.h"
#include "gpu/network/pcie_host.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/fabric/topology.h"

namespace contraflow::gpu {

struct pcie_network_spec : pcie::link_tree_spec {
    pcie::link_rate link{4, 16};
    unsigned gpus_a_switch = 2;
    unsigned queue = 16;
    // Set by the machine, not configured: the number of the first GPU as shown to users, and the host, if it is in the
    // tree.
    unsigned first_gpu = 0;
    std::optional<pcie_host::spec> host;

    pcie_network_spec();
    static void describe(config::fields<pcie_network_spec>& f);
    // "root", "switch0", "gpu0" or "gpu1": endpoints have the numbers of the GPUs. "host" is the last one.
    pcie::topology tree(unsigned gpus) const;
};

}  // namespace contraflow::gpu
