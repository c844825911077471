// SPDX-License-Identifier: Apache-2.0
// Directed tests of corners in which only one bit of the block decides: next to the threshold, phits on lanes that
// don't serve, launches after launches and faults, settings that differ in a bit with no other effect.
#pragma once

#include "check/directed/directed_suite.h"

namespace contraflow::check {

// Returns whether to continue.
bool run_corners(bench& b, const test_list& list);

}  // namespace contraflow::check
