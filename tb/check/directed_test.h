// SPDX-License-Identifier: Apache-2.0
// Tests that put each event at every offset of a turn, and reach the corners that chance seldom finds.
#pragma once

#include <functional>
#include <string>

#include "check/bench.h"

namespace contraflow::check {

// `ended(name, good)` after each; it says whether to go on. With `long_tests` also windows of a million cycles, for the
// last bits of the counters.
void run_directed(bench& b, bool long_tests, const std::function<bool(const std::string&, bool)>& ended);

}  // namespace contraflow::check
