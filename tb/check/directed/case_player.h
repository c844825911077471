// SPDX-License-Identifier: Apache-2.0
// Plays cases with expected results on the bench, by the player of every set of lanes (link/cases/lane_harness.h): two
// queues without limits, and phits on every lane that serves. The bench compares everything as in every other test.
#pragma once

#include "check/bench/bench.h"
#include "check/directed/cases.h"

namespace contraflow::check {

// Expected values are compared as soon as they are known; the case ends in the first cycle in which a check fires.
// False if the case, or any other check, found something; it is in b.found().
bool play(bench& b, const lane_case& c);

}  // namespace contraflow::check
