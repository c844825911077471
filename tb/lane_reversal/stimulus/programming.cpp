// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/stimulus/programming.h"

#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::lane_reversal {

std::vector<lib::bus_access> writes_of(const settings& s) {
    return {{true, map::ctrl.offset, map::ctrl_enable.in_place(s.enable) | map::ctrl_guarded.in_place(s.guarded)},
            {true, map::sample_time.offset, s.sample_time},
            {true, map::switch_time.offset, s.switch_time},
            {true, map::drain.offset, s.drain},
            {true, map::sync_latency.offset, s.sync_latency},
            {true, map::threshold.offset, s.threshold},
            {true, map::min_lanes.offset, s.min_lanes}};
}

bool program(bench& b, const settings& s) {
    lib::apb_master bus(1, lib::pattern::none, true);
    for (const lib::bus_access& a : writes_of(s)) bus.add(a);
    // One more cycle: written values take effect with the cycle after it.
    for (bool more = true; more;) {
        more = !bus.idle();
        b.edge();
        inputs in;
        in.rst_n = true;
        bus.drive(in, false);
        if (!b.drive(in)) return false;
        bus.ended(b.seen().pready);
    }
    return true;
}

}  // namespace contraflow::lane_reversal
