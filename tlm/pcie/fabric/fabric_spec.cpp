// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/fabric_spec.h"

namespace contraflow::pcie {

void fabric_spec::describe(config::fields<fabric_spec>& f) {
    using core::bytes;
    f("transfers", &fabric_spec::transfers).text("push: the source writes; pull: the destination reads");
    f("max_payload", &fabric_spec::max_payload)
        .in(bytes{64}, bytes{4096})
        .power_of_two()
        .text("payload of a posted write");
    f("max_read_request", &fabric_spec::max_read_request)
        .in(bytes{64}, bytes{4096})
        .power_of_two()
        .text("pull: bytes a read asks for");
    f("read_completion_boundary", &fabric_spec::read_completion_boundary)
        .in(bytes{64}, bytes{4096})
        .power_of_two()
        .text("pull: payload of a completion");
    f("tags", &fabric_spec::tags).in(1, 1024).text("pull: reads under way at an endpoint");
    f("root_complex_payload", &fabric_spec::root_complex_payload)
        .in(bytes{16}, bytes{4096})
        .power_of_two()
        .text("largest payload that a root complex forwards in one TLP");
    f("propagation", &fabric_spec::propagation).text("of every link, from end to end");
    f("switch_latency", &fabric_spec::switch_latency).text("from a header's arrival to its departure, idle");
    f("root_complex_latency", &fabric_spec::root_complex_latency)
        .text("from a TLP's last byte to its first piece's departure, idle");
    f("endpoint_latency", &fabric_spec::endpoint_latency).text("from a TLP's last byte to the memory");
    f("switching", &fabric_spec::switching).text("when a switch may begin to forward a TLP");
    f("arbitration", &fabric_spec::arbitration).text("weighted round-robin where given; one TLP a turn elsewhere");
    f("posted_data", &fabric_spec::posted_data)
        .in(bytes{64}, bytes{1u << 24})
        .text("receive buffer of a gen3 x16 port for writes; others in proportion to their rate, but at least two full "
              "TLPs");
    f("posted_headers", &fabric_spec::posted_headers)
        .in(1, 65536)
        .unit("TLPs")
        .text("writes a gen3 x16 receive buffer takes; faster ports in proportion");
    f("non_posted_headers", &fabric_spec::non_posted_headers)
        .in(1, 65536)
        .unit("TLPs")
        .text("reads a receive buffer takes; see posted_headers");
    f("completion_data", &fabric_spec::completion_data)
        .in(bytes{64}, bytes{1u << 24})
        .text("receive buffer of a gen3 x16 port for completions; see posted_data");
    f("completion_headers", &fabric_spec::completion_headers)
        .in(1, 65536)
        .unit("TLPs")
        .text("completions a receive buffer takes; see posted_headers");
    f("replay_tlps", &fabric_spec::replay_tlps)
        .in(1, 65536)
        .unit("TLPs")
        .text("TLPs a gen3 x16 port keeps until they are acknowledged; faster ones in proportion");
    f("completion_timeout", &fabric_spec::completion_timeout)
        .text("pull: a read that is not answered for this long ends the run with an error; 0s: it waits for ever");
    f("faults", &fabric_spec::faults).text("what goes wrong");
    f("watchdog", &fabric_spec::watchdog)
        .at_least(core::sim_time::from_us(1))
        .text("the run stops when nothing has moved for this long with work left");
}

}  // namespace contraflow::pcie
