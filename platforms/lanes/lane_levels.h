// SPDX-License-Identifier: Apache-2.0
// The files that the level of lane controllers (model, RTL, both compared) adds to a run directory: waves, and the
// waves around a difference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cosim/controller_set.h"
#include "face/run/run_context.h"
#include "link/lanes/lane_spec.h"
#include "link/link_waves.h"
#include "net/network.h"

namespace contraflow::lanes {

// The waves of all links, from now on.
using all_link_waves = std::vector<std::unique_ptr<link::link_waves>>;
all_link_waves waves_of(const net::network* network, observe::wave_sink_if& into, core::sim_time now);
// The waves of a turn, with some cycles around it.
void keep_around_turn(observe::wave_recording& waves, const std::string& event, const link::lane_spec& lanes,
                      core::sim_time cycle);
// The RTL of every link and the model beside it, for the waves.
void show_lanes(face::run_context& context, const cosim::controller_set& controllers, core::sim_time cycle,
                core::sim_time end);
// The difference of the two in a sentence, and as waves in the run directory, if there is one.
std::string tell_difference(face::run_context& context, const cosim::controller_set& controllers, core::sim_time cycle);

}  // namespace contraflow::lanes
