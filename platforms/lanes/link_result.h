// SPDX-License-Identifier: Apache-2.0
// Results of a reversible link in a run, by direction and over time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "link/lanes/direction.h"
#include "link/lanes/lane_spec.h"
#include "link/link_energy.h"

namespace contraflow::link {
class reversible_link;
}
namespace contraflow::net {
class network;
}

namespace contraflow::lanes {

struct direction_result {
    std::string name;  // "a to b"
    std::uint64_t payload_bytes = 0;
    std::uint64_t wire_bytes = 0;
    double utilisation = 0;                        // share of the lane-time that served it
    std::vector<std::pair<double, double>> rate;   // us, GB/s on the lanes
    std::vector<std::pair<double, double>> limit;  // us, GB/s that its lanes could have carried
};

struct time_span {
    core::sim_time begin{}, end{};
};

struct link_result {
    std::string name;
    std::array<direction_result, 2> directions;  // a to b, b to a
    std::uint64_t turns = 0;
    std::uint64_t failed_lanes = 0;
    std::uint64_t resent = 0;                   // packets sent again because a lane failed
    std::array<core::sim_time, 3> saturated{};  // time with both directions, one, none: by windows of the series
    std::vector<time_span> one_way;             // when it was one, in order of time
    std::uint64_t windows = 0;                  // of the lane controller
    std::uint64_t one_way_windows = 0;          // of these, in which it was one
    link::link_energy energy;
};

// Results up to `end`, which must not be later than now.
link_result result_of(const link::reversible_link& l, core::sim_time end);
// The sum over all links; a single node has no network and no links.
std::vector<link_result> results_of(const net::network* network, core::sim_time end);

// The sum over all links.
std::uint64_t turns_of(const std::vector<link_result>& links);
double joule_of(const std::vector<link_result>& links);
std::uint64_t payload_of(const std::vector<link_result>& links, link::direction d);  // bytes
// Share of the links' time: both directions saturated, one, none.
std::array<double, 3> saturation_of(const std::vector<link_result>& links);
// Time in which at least one link had exactly one direction saturated.
core::sim_time one_way_somewhere(const std::vector<link_result>& links);
// What Amdahl's law gives for lanes that turn: in the share of the time in which a run with static links has,
// somewhere, exactly one direction saturated, it has the lanes that the other direction can spare. An estimate: bursts
// shorter than a window are not seen, and policies may turn lanes where no direction is saturated.
double amdahl_of_turning(double share_one_way, const link::lane_spec& lanes);

}  // namespace contraflow::lanes
