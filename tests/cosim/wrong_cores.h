// SPDX-License-Identifier: Apache-2.0
// The controller core with a bug planted in its RTL (tests/cosim/bugs), 8 lanes a direction.
#pragma once

#include "cosim/lane_rtl.h"

namespace contraflow::cosim {

// A lane that has left its direction stays in its turnaround for good.
std::unique_ptr<lane_core_if> make_core_that_keeps_lanes(unsigned lanes_per_direction);
// Where a direction is saturated, the other gets one of its lanes.
std::unique_ptr<lane_core_if> make_core_that_turns_the_wrong_way(unsigned lanes_per_direction);

}  // namespace contraflow::cosim
