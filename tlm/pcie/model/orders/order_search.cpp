// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/order_search.h"

#include "pcie/model/orders/branch_and_bound.h"
#include "pcie/model/orders/exhaustive.h"
#include "pcie/model/orders/local_search.h"
#include "pcie/model/orders/order_space.h"
#include "pcie/model/orders/order_state.h"
#include "pcie/model/timeline.h"

namespace contraflow::pcie::model {

search_result search_orders(const network& net, const order_problem& problem, const search_options& options) {
    const order_space space(net, problem);
    if (const auto orders = count_orders(problem); orders && *orders <= options.most_orders && has_ranks(problem))
        return try_every_order(space, *orders, options);

    search_clock clock(options);
    local_findings local = search_locally(space, options, clock);
    const bound_findings bound = branch_and_bound(space, local.fastest, options, clock);
    search_result result;
    result.orders = approximate_orders(problem);
    result.stopped = clock.stopped();
    result.fastest = bound.fastest;
    result.slowest = local.slowest;
    result.curve = std::move(local.sample);
    result.without_progress = local.without_progress;
    result.bound_s = bound.bound_s;
    result.proven = bound.proven;
    result.simulated = local.simulated + bound.simulated;
    return result;
}

double time_of_order(const network& net, const order_problem& problem, const send_order& order) {
    return order_timer(net).end_s(in_order(net.tree(), problem, order)).value_or(forever);
}

}  // namespace contraflow::pcie::model
