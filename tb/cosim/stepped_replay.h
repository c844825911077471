// SPDX-License-Identifier: Apache-2.0
// Plays a trace of arrivals against lanes that are stepped cycle by cycle: as many phits are put on the lanes in each
// cycle as serve then, or as wait. The counterpart of link::replay, for levels that have lanes of their own.
#pragma once

#include "cosim/stepped_lanes_if.h"
#include "link/lane_harness.h"

namespace contraflow::cosim {

// The lanes begin as newly made. Cycles in which nothing arrives, waits or happens may be passed over.
link::replay_result replay(const link::lane_spec& s, stepped_lanes_if& lanes, const std::vector<link::trace_row>& trace,
                           const std::function<bool()>& keep_going = {});

}  // namespace contraflow::cosim
