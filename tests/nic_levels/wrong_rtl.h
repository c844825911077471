// SPDX-License-Identifier: Apache-2.0
// The receive datapath's RTL with two planted bugs, which CMakeLists.txt names.
#pragma once

#include <memory>

#include "nic_rx/nic_rx_block.h"

namespace contraflow::testing {

std::unique_ptr<nic_rx::nic_rx_block> make_wrong_rtl();

}  // namespace contraflow::testing
