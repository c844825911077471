// SPDX-License-Identifier: Apache-2.0
// One PCI device (all functions behind one link) in the terms of a configuration: its role, its name, and a readable
// description. Source of the class codes: PCI Code and ID Assignment Specification 1.11.
#pragma once

#include <string>
#include <vector>

#include "machines/machine_objects.h"
#include "machines/tree_spec.h"

namespace contraflow::machines {

// "0000:18:00.0 Broadcom PEX88096", or with "[1000:c010]" where no name is known.
std::string describe(const pci_object& object);

struct pci_device {
    device_role role = device_role::other;
    std::string bus;          // bus id of the function that gives it its role
    std::string system_name;  // the name of a NIC or drive in software: "mlx5_0", "eth0"; may be empty
    std::string about;
    double gb_per_s = 0;  // rate of the link to its parent; 0: unknown
};

device_role role_of(const pci_object& function);
// `functions`: the PCI functions that share one link, at least one.
pci_device read_device(const std::vector<const pci_object*>& functions);

}  // namespace contraflow::machines
