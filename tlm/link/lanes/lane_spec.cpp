// SPDX-License-Identifier: Apache-2.0
#include "link/lanes/lane_spec.h"

#include <fmt/format.h>

#include "link/lanes/policies.h"

namespace contraflow::link {

void lane_spec::describe(config::fields<lane_spec>& f) {
    using core::cycles;
    constexpr cycles longest{1'000'000'000};
    f("lanes_per_direction", &lane_spec::lanes_per_direction)
        .in(1, 64)
        .unit("lanes")
        .text("lanes of each direction while symmetric");
    f("min_lanes", &lane_spec::min_lanes).in(1, 64).unit("lanes").text("lanes that a direction keeps in any case");
    f("sample_time", &lane_spec::sample_time)
        .in(cycles{1}, longest)
        .text("SampleTime: after each such window one lane may turn; the RTL has at least 8cycles");
    f("switch_time", &lane_spec::switch_time).in(cycles{0}, longest).text("SwitchTime: turnaround of a lane");
    f("drain", &lane_spec::drain)
        .in(cycles{0}, longest)
        .text("time before the turnaround in which what is on the lane reaches the other end");
    f("sync_latency", &lane_spec::sync_latency)
        .in(cycles{0}, longest)
        .text("time from a window's end until the samples of the two ends have met, and its decision holds; the RTL "
              "takes 8cycles of it");
    f.renamed("exchange", "sync_latency");
    f("saturation", &lane_spec::saturation)
        .in(0, 100)
        .unit("percent")
        .text("share of a direction's lane-cycles from which it counts as saturated");
    f("policy", &lane_spec::policy)
        .check([](const std::string& name) { return find_lane_policy(name) != nullptr; }, lane_policy_names())
        .text("who decides which lane turns");
}

std::vector<config::problem> problems_of(const lane_spec& s) {
    if (s.min_lanes <= s.lanes_per_direction) return {};
    return {{fmt::format("min_lanes is {}, but there are {} lanes a direction", s.min_lanes, s.lanes_per_direction),
             {{"min_lanes", fmt::format("at most {}", s.lanes_per_direction)},
              {"lanes_per_direction", fmt::format("at least {}", s.min_lanes)}}}};
}

}  // namespace contraflow::link
