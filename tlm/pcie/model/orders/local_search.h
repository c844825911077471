// SPDX-License-Identifier: Apache-2.0
// Finds good orders if there are too many to try: simulated annealing in a fixed number of chains, each with its own
// random numbers, so that the answer doesn't depend on the number of threads.
#pragma once

#include "pcie/model/orders/order_search.h"
#include "pcie/model/orders/order_space.h"
#include "pcie/model/orders/search_clock.h"

namespace contraflow::pcie::model {

struct local_findings {
    timed_order fastest;
    timed_order slowest;
    order_curve sample;                  // random orders
    std::uint64_t without_progress = 0;  // orders of the sample without progress
    std::uint64_t simulated = 0;
};

local_findings search_locally(const order_space& space, const search_options& options, search_clock& clock);

}  // namespace contraflow::pcie::model
