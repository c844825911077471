// SPDX-License-Identifier: Apache-2.0
// The block as NICs have it, with gated clocks and clocked in one evaluation, whose memories a test can change.
#pragma once

#include <memory>

#include "nic_rx/nic_rx_block.h"

namespace contraflow::testing {

std::unique_ptr<nic_rx::nic_rx_block> make_gated_block();

}  // namespace contraflow::testing
