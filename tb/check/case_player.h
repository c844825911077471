// SPDX-License-Identifier: Apache-2.0
// Plays a case that was worked out beforehand against the block: two queues without limits, phits put on as many lanes
// as serve. What the case expects is compared as soon as it is known.
#pragma once

#include "check/bench.h"
#include "check/cases.h"

namespace contraflow::check {

// False if the case, or any other check, found something; it is in b.found().
bool play(bench& b, const lane_case& c);

}  // namespace contraflow::check
