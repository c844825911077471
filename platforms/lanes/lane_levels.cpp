// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_levels.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "cosim/difference_waves.h"
#include "cosim/lane_player.h"

namespace contraflow::lanes {

all_link_waves waves_of(const net::network* network, observe::wave_sink_if& into, core::sim_time now) {
    all_link_waves all;
    if (network == nullptr) return all;
    for (const auto& l : network->links()) all.push_back(std::make_unique<link::link_waves>(*l, into));
    for (auto& w : all) w->start(now);
    return all;
}

void keep_around_turn(observe::wave_recording& waves, const std::string& event, const link::lane_spec& lanes,
                      core::sim_time cycle) {
    constexpr std::uint64_t context_cycles = 500;  // shown before and after
    waves.keep_around(event, cycle * context_cycles,
                      cycle *
                          (lanes.sync_latency.count + lanes.drain.count + lanes.switch_time.count + context_cycles));
}

void show_lanes(face::run_context& context, const cosim::controller_set& controllers, core::sim_time cycle,
                core::sim_time end) {
    for (const auto& l : controllers.records())
        context.add_wave_source(
            std::make_unique<cosim::lane_waves>(l->name, l->spec, cosim::player_of(l->told), cycle, end));
}

std::string tell_difference(face::run_context& context, const cosim::controller_set& controllers,
                            core::sim_time cycle) {
    const auto& d = *controllers.difference();
    std::string text = d.what();
    if (!context.out()) return text + "\n  with --out DIR, waves of what is around it are written";
    const auto& all = controllers.records();
    const auto link = std::find_if(all.begin(), all.end(), [&](const auto& l) { return l->name == d.where(); });
    if (link == all.end()) throw std::logic_error("a difference in a link that is not there: " + d.where());
    cosim::write_difference_waves(*context.out(), d, (*link)->spec, cosim::player_of((*link)->told), cycle);
    return text + "\n  waves: difference.fst, which GTKWave shows with difference.gtkw";
}

}  // namespace contraflow::lanes
