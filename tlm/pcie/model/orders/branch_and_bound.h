// SPDX-License-Identifier: Apache-2.0
// Proves that an order is the fastest, or finds a faster one, or bounds its distance from the fastest. Works in waves:
// the most promising open choices are followed in parallel, each with its own small budget, and their results are
// merged in a fixed order; so the answer doesn't depend on the number of threads.
#pragma once

#include "pcie/model/orders/order_search.h"
#include "pcie/model/orders/order_space.h"
#include "pcie/model/orders/search_clock.h"

namespace contraflow::pcie::model {

struct bound_findings {
    timed_order fastest;  // the given order, or a better one
    double bound_s = 0.0;
    bool proven = false;
    std::uint64_t simulated = 0;
};

bound_findings branch_and_bound(const order_space& space, const timed_order& incumbent, const search_options& options,
                                search_clock& clock);

}  // namespace contraflow::pcie::model
