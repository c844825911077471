// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/wrong_rtl.h"

#include "Vnic_rx_wrong.h"
#include "nic_rx/verilated_block.h"

namespace contraflow::testing {

std::unique_ptr<nic_rx::nic_rx_block> make_wrong_rtl() {
    return std::make_unique<nic_rx::verilated_block<Vnic_rx_wrong>>();
}
std::unique_ptr<nic_rx::nic_rx_block> show_wrong_rtl(wave::wave_file& file, const std::string& name) {
    return std::make_unique<nic_rx::verilated_block<Vnic_rx_wrong>>(file, name);
}

}  // namespace contraflow::testing
