// SPDX-License-Identifier: Apache-2.0
// The receive datapath's RTL with two planted bugs, which CMakeLists.txt names.
#pragma once

#include <memory>
#include <string>

#include "nic_rx/nic_rx_block.h"

namespace contraflow::testing {

std::unique_ptr<nic_rx::nic_rx_block> make_wrong_rtl();
// All its signals are shown in a file under that name.
std::unique_ptr<nic_rx::nic_rx_block> show_wrong_rtl(wave::wave_file& file, const std::string& name);

}  // namespace contraflow::testing
