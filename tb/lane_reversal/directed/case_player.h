// SPDX-License-Identifier: Apache-2.0
// Plays cases with expected results on the bench, by the player of every set of lanes (link/cases/lane_harness.h): two
// queues without limits, and phits on every lane that serves. The bench compares everything as in every other test.
#pragma once

#include "lane_reversal/bench/bench.h"
#include "lane_reversal/directed/cases.h"

namespace contraflow::lane_reversal {

// Expected values are compared as soon as they are known; the case ends in the first cycle in which a check fires.
// False if the case, or any other check, found something; it is in b.found().
bool play(bench& b, const lane_case& c);

}  // namespace contraflow::lane_reversal
