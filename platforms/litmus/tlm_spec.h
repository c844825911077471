// SPDX-License-Identifier: Apache-2.0
// How tests are played at level tlm.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace contraflow::litmus {

struct tlm_spec {
    std::uint64_t runs = 1000;
    std::uint64_t seed = 1;
    core::sim_time delays = core::sim_time::from_us(4);
    core::sim_time patience = core::sim_time::from_us(60);

    // The longest random times, in `delays`: of an access in the data fabric, of a write in a write combiner, so that
    // one entry of a queue can pass another, and until a thread starts.
    static constexpr unsigned fabric = 2, combiner = 5, start = 12;
    // Nobody may be taken for stuck who waits only for these.
    static constexpr unsigned least_patience = 15;
};

}  // namespace contraflow::litmus
