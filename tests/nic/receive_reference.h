// SPDX-License-Identifier: Apache-2.0
// The rules of the receive datapath once more, written for reading and without time: what the models are compared with.
// Also random traffic that meets every rule.
#pragma once

#include <map>
#include <optional>
#include <random>

#include "nic/receive/receive_case.h"

namespace contraflow::testing {

// What the rules say that a case leads to.
nic::receive_result expected_of(const nic::receive_case& c);

// Buffers of the host's and of GPUs' memory, tables with holes, and packets of which some obey each rule and some break
// it. The same seed gives the same case.
nic::receive_case random_receive_case(std::uint64_t seed, unsigned packets);

}  // namespace contraflow::testing
