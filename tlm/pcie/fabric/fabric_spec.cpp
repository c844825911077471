// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/fabric_spec.h"

namespace contraflow::pcie {

void fabric_spec::describe(config::fields<fabric_spec>& f) {
    f("transfers", &fabric_spec::transfers).text("push: the source writes; pull: the destination reads");
    describe_tree(f);
    f("arbitration", &fabric_spec::arbitration).text("weighted round-robin where given; one TLP a turn elsewhere");
    f("posted_data", &fabric_spec::posted_data)
        .in(core::bytes{64}, core::bytes{1u << 24})
        .text("receive buffer of a gen3 x16 port for writes; see completion_data");
    f("posted_headers", &fabric_spec::posted_headers)
        .in(1, 65536)
        .unit("TLPs")
        .text("writes a receive buffer takes; see non_posted_headers");
    f("watchdog", &fabric_spec::watchdog)
        .at_least(core::sim_time::from_us(1))
        .text("the run stops when nothing has moved for this long with work left");
}

}  // namespace contraflow::pcie
