// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/gated_block.h"

#include "Vnic_rx_gated.h"
#include "nic_rx/verilated_block.h"

namespace contraflow::testing {

std::unique_ptr<nic_rx::nic_rx_block> make_gated_block() {
    return std::make_unique<nic_rx::verilated_block<Vnic_rx_gated>>();
}

}  // namespace contraflow::testing
