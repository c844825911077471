// SPDX-License-Identifier: Apache-2.0
// The rules of the receive datapath in a second, plain version without time: the models are compared with it.
// Also random traffic that exercises every rule.
#pragma once

#include <map>
#include <optional>
#include <random>

#include "nic/receive/receive_case.h"

namespace contraflow::testing {

// The result of a case by the rules.
nic::receive_result expected_of(const nic::receive_case& c);

// Buffers in the host's and in GPUs' memory, tables with holes, and packets of which some obey each rule and some break
// it. The same seed gives the same case. `wide`: processes, addresses, tables and pages use all of their bits.
nic::receive_case random_receive_case(std::uint64_t seed, unsigned packets, bool wide = false);

}  // namespace contraflow::testing
