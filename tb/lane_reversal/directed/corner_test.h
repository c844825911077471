// SPDX-License-Identifier: Apache-2.0
// Directed tests of corners in which only one bit of the block decides: next to the threshold, phits on lanes that
// don't serve, launches after launches and faults, settings that differ in a bit with no other effect.
#pragma once

#include "lane_reversal/directed/directed_suite.h"

namespace contraflow::lane_reversal {

// Returns whether to continue.
bool run_corners(bench& b, const lib::test_list& list);

}  // namespace contraflow::lane_reversal
