// SPDX-License-Identifier: Apache-2.0
// A packet between a NIC and the torus: whole words, which pass one per cycle after it is handed over.
#pragma once

#include <cstdint>
#include <vector>

namespace contraflow::nic {

using torus_packet = std::vector<std::uint8_t>;

}  // namespace contraflow::nic
