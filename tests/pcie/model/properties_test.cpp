// SPDX-License-Identifier: Apache-2.0
// Properties of any tree and graph: published invariants, and those of the extension to unequal links.
#include <algorithm>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "pcie/model/factors.h"
#include "pcie/model/timeline.h"
#include "published_rules.h"
#include "trees.h"

namespace contraflow::pcie::model {
namespace {

using test::pick;

constexpr double slack = 1e-9;

double worst_load(const factor_set& set) {
    double worst = 0.0;
    for (const port_load& p : set.ports) worst = std::max(worst, p.load);
    return worst;
}

std::vector<port_id> ports_of(const topology& tree, const communication& c) { return tree.path(c.from, c.to)->ports; }

double narrowest(const topology& tree, const communication& c) {
    double least = 1e9;
    for (const port_id p : ports_of(tree, c))
        least = std::min(least, tree.link_above(p.node).bytes_per_s / link_rate{3, 16}.raw().bytes_per_s);
    return least;
}

TEST(properties, no_port_of_the_papers_servers_carries_more_than_its_rate) {
    test::generator g(1);
    for (const topology& tree : {test::t1(), test::t2()}) {
        const network net(tree);
        for (unsigned i = 0; i < 20000; ++i) {
            const factor_set set = evaluate_factors(net, test::random_graph(g, tree, 8));
            ASSERT_LE(worst_load(set), 1.0 + slack);
            ASSERT_TRUE(set.overloads.empty());
        }
    }
}

// On any tree with equal links, at any rate, the solver computes exactly what the rules say.
TEST(properties, equal_links_follow_the_published_rules) {
    test::generator g(2);
    for (unsigned i = 0; i < 4000; ++i) {
        const topology tree = test::random_tree(g, true);
        const auto graph = test::random_graph(g, tree, 8);
        network_options options;
        options.tau = i % 3 == 0 ? default_tau : 0.05 * pick(g, 12);
        const auto expected = test::published_factors(tree, graph, options.tau);
        const factor_set set = evaluate_factors(network(tree, options), graph);
        options.capacities.assign(tree.size(), 4.0);
        const factor_set faster = evaluate_factors(network(tree, options), graph);
        for (std::size_t c = 0; c < graph.size(); ++c) {
            ASSERT_NEAR(set.communications[c].factor, expected[c], slack) << "graph " << i;
            ASSERT_NEAR(faster.communications[c].factor, expected[c], slack);
            ASSERT_NEAR(faster.communications[c].rate, 4.0 * expected[c], 4.0 * slack);
        }
    }
}

TEST(properties, unequal_links_never_carry_more_than_their_rate) {
    test::generator g(3);
    for (unsigned i = 0; i < 20000; ++i) {
        const topology tree = test::random_tree(g, false);
        const network net(tree);
        const factor_set set = evaluate_factors(net, test::random_graph(g, tree, 10));
        if (!net.uniform()) { ASSERT_LE(worst_load(set), 1.0 + slack) << "graph " << i; }
        for (const factor& f : set.communications) {
            ASSERT_GE(f.factor, 0.0);
            ASSERT_LE(f.factor, 1.0 + slack);
        }
    }
}

// The extension equals the published rules where the different links have no effect: a link that nothing uses, and one
// that is wide enough.
TEST(properties, links_that_differ_elsewhere_change_nothing) {
    test::generator g(4);
    for (const topology& tree : {test::t1(), test::t2()})
        for (unsigned i = 0; i < 3000; ++i) {
            const auto graph = test::random_graph(g, tree, 4);
            std::vector<char> used(tree.size(), 0);
            for (const communication& c : graph)
                for (const port_id p : ports_of(tree, c)) used[p.node] = 1;
            network_options options;
            options.capacities.assign(tree.size(), 1.0);
            for (node_id id = 1; id < tree.size(); ++id)
                if (used[id] == 0) options.capacities[id] = 0.25 * (1 + pick(g, 16));
            const auto expected = test::published_factors(tree, graph, default_tau);
            const factor_set set = evaluate_factors(network(tree, options), graph);
            for (std::size_t c = 0; c < graph.size(); ++c)
                ASSERT_NEAR(set.communications[c].factor, expected[c], slack);
        }
}

TEST(properties, every_slow_communication_has_a_reason_on_its_way) {
    test::generator g(5);
    for (unsigned i = 0; i < 10000; ++i) {
        const topology tree = test::random_tree(g, i % 2 == 0);
        const auto graph = test::random_graph(g, tree, 10, i % 3 == 0);
        const factor_set set = evaluate_factors(network(tree), graph);
        for (std::size_t c = 0; c < graph.size(); ++c) {
            const factor& f = set.communications[c];
            const bool slow = f.factor < 1.0 - slack;
            ASSERT_EQ(slow, f.why().why != reason::none);
            if (!slow) continue;
            double times = 1.0;
            double shares = 0.0;
            for (const loss& l : f.losses) {
                ASSERT_GE(l.times, 1.0);
                ASSERT_LE(l.times, f.losses.front().times * (1.0 + slack)) << "the largest first";
                times *= l.times;
                shares += l.share;
            }
            ASSERT_NEAR(shares, 1.0, slack);
            if (f.factor > 0.0) { ASSERT_NEAR(times * f.factor, 1.0, slack); }
            const auto ports = ports_of(tree, graph[c]);
            for (const loss& l : f.losses) {
                const hold& why = l.cause;
                ASSERT_NE(std::find(ports.begin(), ports.end(), why.port), ports.end());
                const bool has_front = why.why == reason::source || why.why == reason::head_of_line;
                ASSERT_EQ(has_front, why.behind != nobody);
                if (!has_front) continue;
                ASSERT_NE(why.behind, c);
                const auto front = ports_of(tree, graph[why.behind]);
                ASSERT_NE(std::find(front.begin(), front.end(), why.port), front.end());
                if (why.why == reason::head_of_line) {
                    ASSERT_NE(std::find(front.begin(), front.end(), why.held_at), front.end());
                }
            }
        }
    }
}

TEST(properties, times_without_reasons_are_those_with_reasons) {
    test::generator g(7);
    for (unsigned i = 0; i < 200; ++i) {
        const topology tree = test::random_tree(g, i % 2 == 0);
        const network net(tree);
        const auto graph = test::random_graph(g, tree, 40, true);
        const timeline_result with = run_timeline(net, graph);
        timeline_options options;
        options.reasons = false;
        const timeline_result without = run_timeline(net, graph, options);
        ASSERT_EQ(without.end_s, with.end_s);
        const auto end_of = [](const timeline_result& r) {
            return r.status == timeline_result::outcome::finished ? std::optional(r.end_s) : std::nullopt;
        };
        order_timer timer(net);
        const auto other = test::random_graph(g, tree, 30, true);
        ASSERT_EQ(timer.end_s(graph), end_of(with));
        ASSERT_EQ(timer.end_s(other), end_of(run_timeline(net, other)));  // nothing is left of the one before
        ASSERT_EQ(timer.end_s(graph), end_of(with));
        ASSERT_EQ(without.step_count, with.step_count);
        for (std::size_t c = 0; c < graph.size(); ++c) {
            ASSERT_EQ(without.communications[c].end_s, with.communications[c].end_s);
            ASSERT_EQ(without.communications[c].average_factor, with.communications[c].average_factor);
            ASSERT_TRUE(without.communications[c].lost.empty());
        }
        for (std::size_t p = 0; p < with.ports.size(); ++p)
            ASSERT_EQ(without.ports[p].peak_load, with.ports[p].peak_load);
    }
}

TEST(properties, bytes_are_conserved_and_nothing_overtakes_its_source) {
    test::generator g(6);
    for (unsigned i = 0; i < 300; ++i) {
        const topology tree = test::random_tree(g, i % 2 == 0);
        const network net(tree);
        const auto graph = test::random_graph(g, tree, 40, true);
        const timeline_result run = run_timeline(net, graph, {.recorded_steps = 1000, .keep_going = {}});
        ASSERT_EQ(run.status, timeline_result::outcome::finished) << run.message;
        ASSERT_EQ(run.steps.size(), run.step_count);
        std::map<std::size_t, double> moved;
        for (const time_step& step : run.steps) {
            ASSERT_GT(step.to_s, step.from_s);
            for (const active_communication& a : step.active)
                moved[a.communication] += a.rate * net.reference().bytes_per_s * (step.to_s - step.from_s);
        }
        std::map<node_id, std::uint64_t> sent;
        for (std::size_t c = 0; c < graph.size(); ++c) {
            const communication_result& r = run.communications[c];
            ASSERT_NEAR(moved[c], static_cast<double>(graph[c].size.count),
                        1e-6 * static_cast<double>(graph[c].size.count));
            ASSERT_GE(r.begin_s, r.start_s - 1e-12);
            ASSERT_GT(r.end_s, r.begin_s);
            ASSERT_LE(r.average_factor, 1.0 + slack);
            double lost = 0.0;
            for (const double l : r.lost_s) lost += l;
            double by_cause = 0.0;
            double times = 1.0;
            for (const lost_time& l : r.lost) {
                by_cause += l.lost_s;
                times *= l.times;
            }
            ASSERT_NEAR(by_cause, lost, slack * r.time_s());
            ASSERT_NEAR(times * r.average_factor, 1.0, 1e-6);
            const double rate = net.reference().bytes_per_s * narrowest(tree, graph[c]);
            ASSERT_NEAR(lost + static_cast<double>(graph[c].size.count) / rate, r.time_s(), 1e-6 * r.time_s());
            sent[graph[c].from] += graph[c].size.count;
        }
        for (const auto& [source, bytes] : sent) {
            const port_id own{source, true};
            ASSERT_EQ(run.ports[own.index()].bytes, bytes);
        }
    }
}

}  // namespace
}  // namespace contraflow::pcie::model
