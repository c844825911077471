// SPDX-License-Identifier: Apache-2.0
// nic_replay_planted: nic_replay, but the receive datapath in RTL has the bugs that tests/nic_levels plants.
// docs/find_a_bug.md finds one of them.
#include "nic_levels/wrong_rtl.h"

namespace contraflow::nic_rx {

std::unique_ptr<nic_rx_block> make_nic_rx_block(build) { return testing::make_wrong_rtl(); }

std::unique_ptr<nic_rx_block> make_nic_rx_block(build, wave::wave_file& file, const std::string& name) {
    return testing::show_wrong_rtl(file, name);
}

}  // namespace contraflow::nic_rx
