// SPDX-License-Identifier: Apache-2.0
// Proves that an order is the fastest, or finds a faster one, or says how far from the fastest it can be at most.
// Works in waves: the most promising open choices are followed in parallel, each with its own small budget, and what
// they leave is merged in their order; so the answer doesn't depend on the number of threads.
#pragma once

#include "pcie/model/orders/order_search.h"
#include "pcie/model/orders/order_space.h"
#include "pcie/model/orders/search_clock.h"

namespace contraflow::pcie::model {

struct bound_findings {
    timed_order fastest;  // the incumbent, or better
    double bound_s = 0.0;
    bool proven = false;
    std::uint64_t simulated = 0;
};

bound_findings branch_and_bound(const order_space& space, const timed_order& incumbent, const search_options& options,
                                search_clock& clock);

}  // namespace contraflow::pcie::model
