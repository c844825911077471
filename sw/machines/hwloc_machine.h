// SPDX-License-Identifier: Apache-2.0
// The PCI part of the machine this runs on, by hwloc.
#pragma once

#include <optional>
#include <string>

#include "machines/machine_objects.h"

namespace contraflow::machines {

// None, and the reason, if hwloc fails.
std::optional<machine_objects> read_this_machine(std::string& failure);

}  // namespace contraflow::machines
