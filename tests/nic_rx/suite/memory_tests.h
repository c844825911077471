// SPDX-License-Identifier: Apache-2.0
// Directed tests of bits that change in the memories of the receive datapath.
#pragma once

#include <vector>

#include "nic_rx/suite/directed.h"

namespace contraflow::testing {

const std::vector<directed_test>& memory_tests();

}  // namespace contraflow::testing
