// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/lane_levels.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "cosim/difference_waves.h"
#include "cosim/lane_player.h"

namespace contraflow::numa_gpu {
namespace {

constexpr std::uint64_t context_cycles = 500;  // shown before and after what is asked for

}  // namespace

void check_controllers(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const experiment& e = loaded.value;
    if (e.gpu.sockets == 1) return;
    for (const auto kind : e.compare) {
        const auto problem = cosim::problem_of(e.lane_controller, machine_with(kind, e.gpu).network.link.lanes);
        if (!problem) continue;
        auto seen = config::below("gpu.network.link.lanes", {*problem}).front();
        if (kind == links::doubled)
            seen = {problem->message + ", for double links", {{"compare", "[static, dynamic]"}}};
        for (auto& s : seen.suspects) s.allowed += "; or lane_controller: tlm";
        seen.suspects.push_back({"lane_controller", "tlm"});
        loaded.report(seen, diag);
        return;  // the other machines have the same
    }
}

void bound_waves(face::run_context& context, const experiment& e) {
    auto& waves = *context.waves();
    const auto cycle = e.gpu.cycle();
    const auto& lanes = e.gpu.network.link.lanes;
    if (!context.waves_are_bounded())
        waves.keep(e.window.from, e.window.to);
    else if (!context.wave_event().empty())
        waves.keep_around(
            context.wave_event(), cycle * context_cycles,
            cycle * (lanes.sync_latency.count + lanes.drain.count + lanes.switch_time.count + context_cycles));
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

}  // namespace contraflow::numa_gpu
