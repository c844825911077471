// SPDX-License-Identifier: Apache-2.0
// One PCI device as hwloc knows it (all functions behind one link), in the words of a configuration:
// what it is, what to call it, what a person should know of it.
// Source of the class codes: PCI Code and ID Assignment Specification 1.11.
#pragma once

#include <string>
#include <vector>

#include <hwloc.h>

#include "pcie_tree/experiment.h"

namespace contraflow::pcie_tree {

// "0000:3b:00.0"
std::string bus_id(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci);

// A bridge's bus id and name: "0000:18:00.0 Broadcom PEX88096".
std::string describe_bridge(hwloc_obj_t bridge);

struct pci_device {
    device_role role = device_role::other;
    std::string bus;            // of its first function
    std::string system_name;    // what the operating system calls it: "mlx5_0", "eth0"; may be empty
    std::string about;
    double gb_per_s = 0;        // of the link above it; 0: unknown
};

// `functions`: the PCI functions that share one link, at least one, in hwloc's order.
pci_device read_device(const std::vector<hwloc_obj_t>& functions);

}  // namespace contraflow::pcie_tree
