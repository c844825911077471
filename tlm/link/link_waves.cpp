// SPDX-License-Identifier: Apache-2.0
#include "link/link_waves.h"

#include <fmt/format.h>

#include "link/reversible_link.h"

namespace contraflow::link {

link_waves::link_waves(reversible_link& watched, observe::wave_sink_if& waves) : link_(watched), waves_(waves) {
    for (const auto d : both_directions) {
        const std::string& path = watched.channel(d).configuration().path;
        channels_[d].lanes = waves.add(path + ".lanes", 8);
        for (unsigned vc = 0; vc < watched.configuration().vcs; ++vc) {
            channels_[d].queues[vc] = waves.add(fmt::format("{}.vc[{}].queue", path, vc), 16);
            channels_[d].credits[vc] = waves.add(fmt::format("{}.vc[{}].credits", path, vc), 32);
        }
    }
    turning_ = waves.add(watched.name() + ".turning", 8);
    failed_ = waves.add(watched.name() + ".failed", 8);
    watched.set_observer(this);
}

void link_waves::start(core::sim_time now) {
    lanes_changed(link_, now);
    for (const auto d : both_directions) queues_changed(link_, d, now);
}

void link_waves::lanes_changed(const reversible_link& l, core::sim_time now) {
    for (const auto d : both_directions) waves_.set(channels_[d].lanes, now, l.lanes().lanes[d]);
    waves_.set(turning_, now, l.lanes().turning);
    waves_.set(failed_, now, l.lanes().failed);
    if (l.lanes().failed > 0) waves_.event("first_fault", now);
}

void link_waves::window_closed(const reversible_link&, const lane_window& w, core::sim_time now) {
    if (w.decision != lane_decision::none) waves_.event("first_turn", now);
}

void link_waves::queues_changed(const reversible_link& l, direction d, core::sim_time now) {
    const link_channel& c = l.channel(d);
    for (unsigned vc = 0; vc < l.configuration().vcs; ++vc) {
        waves_.set(channels_[d].queues[vc], now, c.queued(vc));
        waves_.set(channels_[d].credits[vc], now, c.credits(vc));
    }
}

}  // namespace contraflow::link
