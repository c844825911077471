// SPDX-License-Identifier: Apache-2.0
// The data that each GPU sends to each other one over time, the load of the network, and a PCIe tree's addresses.
#pragma once

#include "remote_memory/comparison.h"

namespace contraflow::remote_memory {

void add_traffic(const comparison& c, face::section& to);

}  // namespace contraflow::remote_memory
