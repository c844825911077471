// SPDX-License-Identifier: Apache-2.0
// Tests that put each event at every offset of a turn, and reach corners that random tests seldom find.
#pragma once

#include "lane_reversal/directed/directed_suite.h"

namespace contraflow::lane_reversal {

// With `long_tests` also windows of a million cycles, for the
// last bits of the counters, and the corners.
void run_directed(bench& b, bool long_tests, const lib::test_list& list);

}  // namespace contraflow::lane_reversal
