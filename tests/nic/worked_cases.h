// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace contraflow::testing {

// The actions of every level of the receive datapath for twelve runs of packets, worked out by hand.
inline std::string worked_receive_cases() {
    std::ostringstream text;
    text << std::ifstream(CF_TEST_DATA "/nic_rx/worked.json").rdbuf();
    return text.str();
}

}  // namespace contraflow::testing
