// SPDX-License-Identifier: Apache-2.0
// The search for the best order of sends, against the published outcomes and against plain simulation.
#include "pcie/model/orders/order_search.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "halo.h"
#include "pcie/model/orders/order_symmetry.h"
#include "trees.h"

namespace contraflow::pcie::model {
namespace {

using test::pick;

search_options with_jobs(unsigned jobs) {
    search_options options;
    options.jobs = jobs;
    return options;
}

// Published: 1.9 between the slowest and the fastest of 20,736 orders.
TEST(order_search, halo_2d) {
    const topology tree = test::t2();
    const network net(tree);
    const order_problem problem = test::halo(tree, 4, 2);
    const search_result r = search_orders(net, problem);
    EXPECT_TRUE(r.exhaustive && r.proven);
    EXPECT_EQ(r.orders, 20736.0);
    EXPECT_EQ(r.curve.orders(), 20736u);
    EXPECT_NEAR(r.slowest.time_s / r.fastest.time_s, 1.908, 0.0005);
    EXPECT_NEAR(time_of_order(net, problem, r.fastest.order), r.fastest.time_s, 1e-9 * r.fastest.time_s);
    EXPECT_NEAR(time_of_order(net, problem, r.slowest.order), r.slowest.time_s, 1e-9 * r.slowest.time_s);
}

// Published: 2.57 and 1.44 of 1,679,616 orders; exactly by the rules: 2.578 and 1.431.
TEST(order_search, halo_3d) {
    const topology tree = test::t2();
    const network net(tree);
    const order_problem problem = test::halo(tree, 2, 2, 2);
    const search_result r = search_orders(net, problem);
    EXPECT_EQ(r.curve.orders(), 1679616u);
    EXPECT_NEAR(r.slowest.time_s / r.fastest.time_s, 2.578, 0.0005);
    EXPECT_NEAR(r.slowest.time_s / r.curve.median(), 1.431, 0.0005);
    EXPECT_NEAR(time_of_order(net, problem, r.fastest.order), r.fastest.time_s, 1e-9 * r.fastest.time_s);
    EXPECT_NEAR(time_of_order(net, problem, r.slowest.order), r.slowest.time_s, 1e-9 * r.slowest.time_s);
}

// A source's equal sends can change places without changing anything: each class of orders counts once.
TEST(order_search, equal_sends_are_one_order) {
    const topology tree = test::t2();
    const network net(tree);
    const std::vector<node_id> e = tree.endpoints();
    const core::bytes mib{1 << 20};
    order_problem problem{{e[0], {{e[1], mib}, {e[4], mib}, {e[1], mib}, {e[4], mib}, {e[1], mib}}},
                          {e[1], {{e[4], mib}, {e[0], mib}, {e[4], core::bytes{1 << 19}}}},
                          {e[2], {{e[3], mib}, {e[3], mib}}}};
    EXPECT_EQ(count_orders(problem), 10u * 6u * 1u);
    EXPECT_DOUBLE_EQ(approximate_orders(problem), 60.0);
    const search_result r = search_orders(net, problem);
    EXPECT_TRUE(r.exhaustive);
    EXPECT_EQ(r.curve.orders() + r.without_progress, 60u);
    // Against all 5! 3! 2! permutations, of which 3! 2! 2! are one class.
    std::map<double, unsigned> times;
    send_order order{{0, 1, 2, 3, 4}, {0, 1, 2}, {0, 1}};
    do {
        do {
            times[time_of_order(net, problem, order)] += 2;
        } while (std::next_permutation(order[1].begin(), order[1].end()));
    } while (std::next_permutation(order[0].begin(), order[0].end()));
    std::vector<double> expected;
    for (const auto& [time, count] : times) {
        ASSERT_EQ(count % 24, 0u);
        expected.insert(expected.end(), count / 24, time);
    }
    ASSERT_EQ(expected.size(), 60u);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(r.curve.at(i), expected[i], 1e-8 * expected[i]);
    EXPECT_NEAR(time_of_order(net, problem, r.fastest.order), expected.front(), 1e-8 * expected.front());
    EXPECT_NEAR(time_of_order(net, problem, r.slowest.order), expected.back(), 1e-8 * expected.back());
    for (const send_order& found : {r.fastest.order, r.slowest.order}) {
        const std::uint64_t rank = rank_of(problem, found);
        EXPECT_EQ(order_at(problem, rank), found);
    }
    // 14 steps of a ring: one order, not (14!)^8.
    order_problem ring;
    for (std::size_t i = 0; i < 8; ++i) ring.push_back({e[i], std::vector<send_to>(14, {e[(i + 1) % 8], mib})});
    EXPECT_EQ(count_orders(ring), 1u);
}

TEST(order_search, the_given_order_belongs_to_the_sample) {
    const topology tree = test::t2();
    const network net(tree);
    const order_problem halo = test::halo(tree, 4, 2);
    const search_result all = search_orders(net, halo);
    // A problem whose own order is the slowest of all: no random sample of 16 has it.
    order_problem problem = halo;
    for (std::size_t s = 0; s < problem.size(); ++s)
        for (std::size_t i = 0; i < problem[s].sends.size(); ++i)
            problem[s].sends[i] = halo[s].sends[all.slowest.order[s][i]];
    search_options options;
    options.most_orders = 0;
    options.evaluations = 16;
    const search_result r = search_orders(net, problem, options);
    EXPECT_NEAR(r.slowest.time_s, all.slowest.time_s, 1e-9 * all.slowest.time_s);
    EXPECT_NEAR(r.curve.slowest(), all.slowest.time_s, 1e-9 * all.slowest.time_s);
}

// Unequal sizes, three GPUs, an order's time by run_timeline for each of the orders.
TEST(order_search, agrees_with_simulating_every_order) {
    test::generator g(7);
    for (unsigned trial = 0; trial < 12; ++trial) {
        const topology tree = trial < 6 ? test::t2() : test::random_tree(g, trial < 9);
        const std::vector<node_id> ends = tree.endpoints();
        if (ends.size() < 3) continue;
        order_problem problem;
        for (unsigned s = 0; s < 3; ++s) {
            source_sends source{ends[s], {}};
            for (unsigned i = 0; i <= s; ++i)
                source.sends.push_back({ends[(s + 1 + pick(g, static_cast<unsigned>(ends.size() - 1))) % ends.size()],
                                        core::bytes{1000 + g() % 1000}});
            problem.push_back(source);
        }
        const network net(tree);
        const search_result r = search_orders(net, problem);
        std::vector<double> times;
        for (std::uint64_t rank = 0; rank < *count_orders(problem); ++rank)
            times.push_back(time_of_order(net, problem, order_at(problem, rank)));
        const std::vector<double> by_rank = times;
        std::sort(times.begin(), times.end());
        ASSERT_EQ(r.curve.orders(), times.size());
        for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(r.curve.at(i), times[i], 1e-8 * times[i]);
        EXPECT_NEAR(r.curve.median(), 0.5 * (times[(times.size() - 1) / 2] + times[times.size() / 2]), 1e-8 * times[0]);
        const auto first =
            std::find_if(by_rank.begin(), by_rank.end(), [&](double t) { return t <= times[0] * (1 + 1e-9); });
        EXPECT_EQ(rank_of(problem, r.fastest.order), static_cast<std::uint64_t>(first - by_rank.begin()));
    }
}

// The symmetries of the tree only save work: sizes that differ by a byte have none, and nearly the same curve.
TEST(order_search, symmetries_do_not_change_the_answer) {
    const topology tree = test::t2();
    const network net(tree);
    const order_problem equal = test::halo(tree, 4, 2);
    order_problem nearly = equal;
    std::uint64_t more = 0;
    for (source_sends& source : nearly)
        for (send_to& send : source.sends) send.size.count += more++ % 7;
    EXPECT_EQ(find_symmetries(net, equal).size(), 4u);
    EXPECT_EQ(find_symmetries(net, nearly).size(), 1u);
    const search_result a = search_orders(net, equal);
    const search_result b = search_orders(net, nearly);
    EXPECT_GT(b.simulated, 3 * a.simulated);
    EXPECT_EQ(a.curve.orders(), b.curve.orders());
    for (std::uint64_t place = 0; place < a.curve.orders(); place += 97)
        EXPECT_NEAR(a.curve.at(place), b.curve.at(place), 1e-6 * a.curve.at(place));
}

TEST(order_search, symmetries_map_orders_to_equal_times) {
    const topology tree = test::t2();
    const network net(tree);
    const order_problem problem = test::halo(tree, 2, 2, 2);
    const auto symmetries = find_symmetries(net, problem);
    EXPECT_EQ(symmetries.size(), 8u);
    test::generator g(3);
    for (unsigned i = 0; i < 20; ++i) {
        const send_order order = order_at(problem, g() % *count_orders(problem));
        const double time = time_of_order(net, problem, order);
        for (const order_symmetry& s : symmetries)
            EXPECT_NEAR(time_of_order(net, problem, image(s, order)), time, 1e-9 * time);
    }
}

TEST(order_search, the_answer_does_not_depend_on_the_number_of_threads) {
    const topology tree = test::t2(4);
    const network net(tree);
    for (const bool large : {false, true}) {
        const order_problem problem = large ? test::halo(tree, 4, 4) : test::halo(tree, 4, 2);
        search_options options;
        options.evaluations = 1600;
        options.nodes = 1000;
        options.jobs = 1;
        const search_result one = search_orders(net, problem, options);
        for (const unsigned jobs : {2U, 7U}) {
            options.jobs = jobs;
            const search_result many = search_orders(net, problem, options);
            EXPECT_EQ(one.fastest.time_s, many.fastest.time_s);
            EXPECT_EQ(one.fastest.order, many.fastest.order);
            EXPECT_EQ(one.slowest.order, many.slowest.order);
            EXPECT_EQ(one.bound_s, many.bound_s);
            EXPECT_EQ(one.simulated, many.simulated);
            ASSERT_EQ(one.curve.values().size(), many.curve.values().size());
            for (std::size_t i = 0; i < one.curve.values().size(); ++i) {
                EXPECT_EQ(one.curve.values()[i].time_s, many.curve.values()[i].time_s);
                EXPECT_EQ(one.curve.values()[i].orders, many.curve.values()[i].orders);
            }
        }
    }
}

// A problem that can be enumerated, searched without enumeration: the optimum is the same, and proven.
TEST(order_search, branch_and_bound_proves_the_halo_2d) {
    const topology tree = test::t2();
    const network net(tree);
    const order_problem problem = test::halo(tree, 4, 2);
    search_options options;
    options.most_orders = 1;
    options.evaluations = 5000;
    const search_result r = search_orders(net, problem, options);
    const search_result all = search_orders(net, problem);
    EXPECT_FALSE(r.exhaustive);
    EXPECT_TRUE(r.proven);
    EXPECT_NEAR(r.fastest.time_s, all.fastest.time_s, 1e-9 * all.fastest.time_s);
    EXPECT_NEAR(time_of_order(net, problem, r.fastest.order), r.fastest.time_s, 1e-9 * r.fastest.time_s);
}

TEST(order_search, bounds_hold_for_what_cannot_be_tried) {
    const topology tree = test::t2(4);
    const network net(tree);
    const order_problem problem = test::halo(tree, 4, 4);
    EXPECT_NEAR(approximate_orders(problem), 8.9e12, 0.05e12);
    search_options options;
    options.evaluations = 8000;
    options.nodes = 2000;
    const search_result r = search_orders(net, problem, options);
    EXPECT_FALSE(r.exhaustive);
    EXPECT_GT(r.bound_s, 0.0);
    EXPECT_LE(r.bound_s, r.fastest.time_s);
    EXPECT_EQ(r.proven, r.gap() < 1e-9);
    EXPECT_LT(r.fastest.time_s, r.curve.fastest()) << "local search should beat a random sample";
    EXPECT_NEAR(time_of_order(net, problem, r.fastest.order), r.fastest.time_s, 1e-9 * r.fastest.time_s);
}

// On random problems no order beats the bound that a search without budget left reports.
TEST(order_search, no_order_beats_the_bound) {
    test::generator g(11);
    for (unsigned trial = 0; trial < 60; ++trial) {
        const topology tree = test::random_tree(g, trial % 2 == 0);
        const order_problem problem = test::random_problem(g, tree);
        const network net(tree);
        search_options options;
        options.most_orders = 0;
        options.evaluations = 1;
        options.nodes = 1;
        const search_result bounded = search_orders(net, problem, options);
        const search_result all = search_orders(net, problem);
        EXPECT_LE(bounded.bound_s, all.fastest.time_s * (1.0 + 1e-9)) << "trial " << trial;
        options.nodes = 100'000;
        const search_result proven = search_orders(net, problem, options);
        EXPECT_TRUE(proven.proven) << "trial " << trial;
        EXPECT_NEAR(proven.fastest.time_s, all.fastest.time_s, 1e-9 * all.fastest.time_s) << "trial " << trial;
    }
}

TEST(order_search, can_be_stopped) {
    const topology tree = test::t2(4);
    const network net(tree);
    search_options options = with_jobs(2);
    options.evaluations = 100'000'000;
    options.progress = [](double) { return false; };
    const search_result r = search_orders(net, test::halo(tree, 4, 4), options);
    EXPECT_TRUE(r.stopped);
    EXPECT_FALSE(r.proven);
    EXPECT_LE(r.bound_s, r.fastest.time_s);
}

TEST(order_search, refuses_impossible_problems) {
    const topology tree = test::t2();
    const network net(tree);
    const node_id a = test::gpu(tree, 0);
    const node_id b = test::gpu(tree, 1);
    EXPECT_THROW(search_orders(net, {}), std::invalid_argument);
    EXPECT_THROW(search_orders(net, {{a, {{a, {1}}}}}), std::invalid_argument);
    EXPECT_THROW(search_orders(net, {{a, {{b, {0}}}}}), std::invalid_argument);
    EXPECT_THROW(search_orders(net, {{a, {{b, {1}}}}, {a, {{b, {1}}}}}), std::invalid_argument);
    EXPECT_THROW(search_orders(net, {{999, {{b, {1}}}}}), std::invalid_argument);
    EXPECT_THROW(search_orders(net, {{a, {{999, {1}}}}}), std::invalid_argument);
}

// More sources than a search state of 8, 16 or 32 has slots, and more sets of sends than 64 bits can number.
TEST(order_search, many_sources) {
    for (const unsigned switches : {3U, 6U, 16U}) {
        const topology tree = test::t2(switches);
        const network net(tree);
        order_problem problem;
        const unsigned gpus = 4 * switches;
        for (unsigned i = 0; i < gpus; ++i) {
            source_sends source{test::gpu(tree, i), {}};
            for (unsigned step = 1; step <= 3; ++step)
                source.sends.push_back({test::gpu(tree, (i + step) % gpus), {1000}});
            problem.push_back(source);
        }
        search_options options;
        options.evaluations = 320;
        options.nodes = 200;
        const search_result r = search_orders(net, problem, options);
        EXPECT_NEAR(time_of_order(net, problem, r.fastest.order), r.fastest.time_s, 1e-9 * r.fastest.time_s);
    }
}

TEST(order_curve, places_median_and_bins) {
    const order_curve curve({{3.0, 1}, {1.0, 2}, {1.0 + 1e-12, 1}, {2.0, 2}});
    EXPECT_EQ(curve.orders(), 6u);
    EXPECT_EQ(curve.values().size(), 3u);
    EXPECT_EQ(curve.at(2), 1.0);
    EXPECT_EQ(curve.at(3), 2.0);
    EXPECT_EQ(curve.median(), 1.5);
    EXPECT_EQ(curve.within(0.01), 3u);
    EXPECT_EQ(curve.within(1.0), 5u);
    EXPECT_EQ(curve.sampled(3), (std::vector<double>{1.0, 2.0, 3.0}));
    const auto bins = curve.histogram(4);
    ASSERT_EQ(bins.size(), 4u);
    EXPECT_EQ(bins[0].orders, 3u);
    EXPECT_EQ(bins[2].orders, 2u);
    EXPECT_EQ(bins[3].orders, 1u);
    EXPECT_EQ(bins[3].to_s, 3.0);
}

TEST(order_problem, ranks_and_orders_are_one_to_one) {
    const topology tree = test::t2();
    const order_problem problem = test::halo(tree, 4, 2);
    std::set<send_order> seen;
    for (std::uint64_t rank = 0; rank < 20736; rank += 7) {
        const send_order order = order_at(problem, rank);
        EXPECT_EQ(rank_of(problem, order), rank);
        EXPECT_TRUE(seen.insert(order).second);
    }
    EXPECT_EQ(count_orders(test::halo(tree, 2, 2, 2)), 1679616u);
    std::vector<send_to> different(40);
    for (std::uint64_t i = 0; i < different.size(); ++i) different[i].size = core::bytes{i + 1};
    EXPECT_FALSE(count_orders({{0, different}}));
}

}  // namespace
}  // namespace contraflow::pcie::model
