// SPDX-License-Identifier: Apache-2.0
// Finds the best order of sends: by trying every order if that is possible, otherwise by local search and branch and
// bound, with a proven bound on the time of any order. The answer depends neither on the number of threads nor, unless
// a limit of wall time strikes, on the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "pcie/model/network.h"
#include "pcie/model/orders/order_curve.h"
#include "pcie/model/orders/order_problem.h"

namespace contraflow::pcie::model {

struct search_options {
    unsigned jobs = 0;                       // threads; 0: one a core
    std::uint64_t most_orders = 20'000'000;  // up to this number, try all orders
    // Beyond that:
    std::uint64_t seed = 1;
    std::uint64_t evaluations = 200'000;  // orders that local search simulates
    std::uint64_t nodes = 200'000;        // choices that branch and bound follows
    double wall_s = 0.0;                  // stop after this time; 0: never
    // Called from time to time on the calling thread, with the share of the work that is done; false stops the search.
    std::function<bool(double)> progress;
};

struct timed_order {
    double time_s = 0.0;  // end of the last send
    send_order order;
};

struct search_result {
    double orders = 0.0;                 // how many there are; exact below 2^53
    bool exhaustive = false;             // every order was tried
    bool stopped = false;                // stopped by progress or wall_s; the results are those found until then
    timed_order fastest;                 // among equals (to 1e-9) the one with the lowest rank
    timed_order slowest;                 // if not exhaustive: the slowest of the sampled orders
    order_curve curve;                   // all orders, or the problem's own and a random sample of them
    std::uint64_t without_progress = 0;  // orders that never end in the model; not in the curve
    double bound_s = 0.0;                // no order is faster
    bool proven = false;                 // the fastest is the fastest of all
    std::uint64_t simulated = 0;         // orders, and parts of orders, that were simulated
    double gap() const { return bound_s > 0.0 ? fastest.time_s / bound_s - 1.0 : 0.0; }
};

// Throws std::invalid_argument: no or too many sources (64) or sends of one source (63), a source twice, a send of
// 0 bytes or to its source, no path.
search_result search_orders(const network& net, const order_problem& problem, const search_options& options = {});

// The time of one order; infinite if the model predicts no progress.
double time_of_order(const network& net, const order_problem& problem, const send_order& order);

}  // namespace contraflow::pcie::model
