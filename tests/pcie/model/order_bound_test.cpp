// SPDX-License-Identifier: Apache-2.0
// The bound on what can follow a part of an order: never above the best completion, found by trying all.
#include "pcie/model/orders/order_bound.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "pcie/model/orders/speed_table.h"
#include "trees.h"

namespace contraflow::pcie::model {
namespace {

using state = order_state<8>;

struct every_order {
    explicit every_order(const network& net, const order_problem& problem)
        : space(net, problem),
          shared(space, 8, 100'000, 1),
          speeds(space, shared),
          bound(space) {}

    // The earliest end of all that can follow; the bound of each state on the way is compared with it.
    double best(state now) {
        EXPECT_TRUE(now.advance(space, speeds));
        if (now.finished()) return now.now;
        const auto source = static_cast<std::size_t>(std::countr_zero(now.pending));
        double least = forever;
        for (std::uint64_t todo = space.choices(source, now.todo[source]); todo != 0; todo &= todo - 1) {
            state next = now;
            next.begin(space, source, static_cast<unsigned>(std::countr_zero(todo)));
            const double end = best(next);
            const double promised = bound.of(next);
            EXPECT_LE(promised, end * (1.0 + 1e-9));
            if (promised > end * (1.0 - 1e-9)) ++exact;
            ++states;
            least = std::min(least, end);
        }
        return least;
    }

    order_space space;
    shared_speeds shared;
    speed_table<8> speeds;
    order_bound bound;
    std::uint64_t states = 0, exact = 0;
};

TEST(order_bound, is_never_above_the_best_completion_of_a_part_of_an_order) {
    test::generator g(23);
    std::uint64_t exact = 0;
    for (unsigned trial = 0; trial < 40; ++trial) {
        const topology tree = test::random_tree(g, trial % 2 == 0);
        const order_problem problem = test::random_problem(g, tree);
        const network net(tree);
        every_order all(net, problem);
        all.best(state(all.space));
        exact += all.exact;
        if (HasFailure()) FAIL() << "trial " << trial;
    }
    EXPECT_GT(exact, 100u);  // so a bound that is a little too high is seen
}

// By the published rules a port may be granted more than its rate: three inputs, one of which crosses the root complex.
TEST(order_bound, allows_for_what_the_rules_grant_three_and_more_inputs) {
    for (const unsigned beside : {2u, 3u}) {
        topology tree;
        const node_id rc = tree.add(test::named("rc", node_kind::root_complex), no_node);
        const node_id near = tree.add(test::named("near", node_kind::pcie_switch), rc);
        const node_id far = tree.add(test::named("far", node_kind::pcie_switch), rc);
        const node_id to = tree.add(test::named("gpu0", node_kind::endpoint), near);
        order_problem problem;
        for (unsigned i = 1; i <= beside; ++i) {
            const node_id from = tree.add(test::named(fmt::format("gpu{}", i), node_kind::endpoint), near);
            problem.push_back({from, {{to, {6000}}, {to, {7000}}}});
        }
        const node_id across = tree.add(test::named("across", node_kind::endpoint), far);
        tree.add(test::named("other", node_kind::endpoint), far);
        problem.push_back({across, {{to, {6000}}, {to, {7000}}}});
        const network net(tree);
        every_order all(net, problem);
        const double best = all.best(state(all.space));
        const double at_full_rate = 13'000.0 * (beside + 1) / net.reference().bytes_per_s;
        EXPECT_LT(best, at_full_rate) << "or this tree does not show it";
    }
}

}  // namespace
}  // namespace contraflow::pcie::model
