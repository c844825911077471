// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/nic_core_spec.h"

namespace contraflow::nic_levels {

void nic_core_spec::describe(config::fields<nic_core_spec>& f) {
    constexpr core::sim_time longest = core::sim_time::from_us(10);
    f("core", &nic_core_spec::core).text("the core");
    f("register_latency", &nic_core_spec::register_latency)
        .in(core::sim_time{}, longest)
        .text("an access of the core to the NIC's registers");
    f("table_latency", &nic_core_spec::table_latency)
        .in(core::sim_time{}, longest)
        .text("an access of the core to BUF_LIST or page tables");
    f("messages", &nic_core_spec::messages)
        .unit("messages")
        .in(1, 256)
        .text("get requests that wait for the core; more hold up the datapath");
}

}  // namespace contraflow::nic_levels
