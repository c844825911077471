// SPDX-License-Identifier: Apache-2.0
// One constrained-random test: settings, traffic, launches, faults, register accesses and resets drawn from a seed,
// with a preference for cycles in which something else happens. A plain variant serves long comparisons with the model.
#pragma once

#include <cstdint>

#include "lane_reversal/bench/bench.h"

namespace contraflow::lane_reversal {

struct random_options {
    std::uint64_t seed = 1;
    std::uint64_t cycles = 3000;
    // Only events that the model supports: no lane fails, settings stay, no reset in between.
    bool model_only = false;
};

// False if a check fired; it is in b.found().
bool run_random(bench& b, coverage_model* cover, const random_options& o);

}  // namespace contraflow::lane_reversal
