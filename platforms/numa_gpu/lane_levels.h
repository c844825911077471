// SPDX-License-Identifier: Apache-2.0
// What the level of the links' lane controllers asks of a configuration, and adds to what a run leaves behind.
#pragma once

#include <string>

#include "config/config.h"
#include "cosim/controller_set.h"
#include "face/run_context.h"
#include "numa_gpu/experiment.h"

namespace contraflow::numa_gpu {

// The links of every machine are such as the RTL can have.
void check_controllers(config::loaded<experiment>& loaded, config::diagnostics& diag);

// How much of the run that is observed the waves show.
void bound_waves(face::run_context& context, const experiment& e);
// The RTL of every link and the model beside it, for the waves.
void show_lanes(face::run_context& context, const cosim::controller_set& controllers, core::sim_time cycle,
                core::sim_time end);

// A sentence, and what is around the difference as waves in the run directory, if there is one.
std::string tell_difference(face::run_context& context, const cosim::controller_set& controllers, core::sim_time cycle);

}  // namespace contraflow::numa_gpu
