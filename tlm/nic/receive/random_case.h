// SPDX-License-Identifier: Apache-2.0
// Random packets for a receive datapath, which exercise every rule.
#pragma once

#include <cstdint>

#include "nic/receive/receive_case.h"

namespace contraflow::nic {

// Buffers in the host's and in GPUs' memory, tables with holes, and packets of which some obey each rule and some break
// it. The same seed gives the same case. `wide`: processes, addresses, tables and pages use all of their bits.
receive_case random_receive_case(std::uint64_t seed, unsigned packets, bool wide = false);

}  // namespace contraflow::nic
