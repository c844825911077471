// SPDX-License-Identifier: Apache-2.0
// The PCI part of the machine this runs on, by hwloc.
#pragma once

#include <optional>
#include <string>

#include "pcie_tree/machine_objects.h"

namespace contraflow::pcie_tree {

// None, and why, if hwloc can't look.
std::optional<machine_objects> read_this_machine(std::string& failure);

}  // namespace contraflow::pcie_tree
