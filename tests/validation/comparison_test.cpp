// SPDX-License-Identifier: Apache-2.0
// The comparison of both levels: its graphs can be made again, and its numbers are those of its communications.
#include <set>

#include <gtest/gtest.h>

#include "transfers/communications.h"
#include "validate/pcie_tree/level_comparison.h"

namespace contraflow::validate {
namespace {

comparison_spec small() {
    comparison_spec spec;
    spec.graphs = 6;
    spec.size = core::bytes{1u << 17};
    return spec;
}

TEST(comparison, draws_graphs_with_a_source_for_each_send) {
    std::uint64_t seed = 1;
    for (unsigned n = 2; n <= 7; ++n) {
        const std::uint64_t from = seed;
        const auto graph = draw_graph(n, mib, seed);
        ASSERT_EQ(graph.sends.size(), n);
        std::set<unsigned> sources;
        for (const auto& [source, destination] : graph.sends) {
            sources.insert(source);
            EXPECT_NE(source, destination);
            EXPECT_LT(std::max(source, destination), 8u);
        }
        EXPECT_EQ(sources.size(), n);
        EXPECT_GE(graph.seed, from);
        EXPECT_EQ(seed, graph.seed + 1);
    }
}

// The report's note is true: pcie_tree's random pattern makes the same graph again.
TEST(comparison, draws_what_the_random_pattern_makes) {
    std::uint64_t seed = 100;
    const auto graph = draw_graph(5, mib, seed);
    transfers::transfer_spec wanted;
    wanted.pattern.kind = transfers::pattern_kind::random;
    wanted.pattern.count = 5;
    wanted.pattern.seed = graph.seed;
    wanted.pattern.size = mib;
    const auto& tree = shipped_tree("t2");
    machines::configured_tree configured{tree, std::vector(tree.size(), machines::device_role::gpu)};
    config::diagnostics diag;
    const auto sends = transfers::resolve_communications(
        wanted, configured, [](std::string_view) { return config::location{}; }, diag);
    ASSERT_TRUE(sends);
    ASSERT_EQ(sends->size(), graph.sends.size());
    for (std::size_t i = 0; i < sends->size(); ++i) {
        EXPECT_EQ((*sends)[i].from, gpu(tree, graph.sends[i].first));
        EXPECT_EQ((*sends)[i].to, gpu(tree, graph.sends[i].second));
    }
}

TEST(comparison, is_the_same_every_time) {
    const auto once = compare_levels(small(), {});
    const auto again = compare_levels(small(), {});
    ASSERT_EQ(once.sends.size(), again.sends.size());
    ASSERT_EQ(once.sends.size(), 2u * (2 + 3 + 4 + 5 + 6 + 7));
    std::set<std::string> trees;
    for (std::size_t i = 0; i < once.sends.size(); ++i) {
        const auto& s = once.sends[i];
        trees.insert(s.tree);
        EXPECT_EQ(s.closed_form, again.sends[i].closed_form);
        EXPECT_EQ(s.tlm, again.sends[i].tlm);
        EXPECT_GE(s.closed_form, 1.0 - 1e-9);
        EXPECT_GT(s.tlm, 0.9);
    }
    EXPECT_EQ(trees, (std::set<std::string>{"t1", "t2"}));
}

TEST(comparison, counts_shares_and_rules) {
    using pcie::model::reason;
    level_comparison c;
    const auto add = [&](double closed_form, double tlm, reason rule) {
        c.sends.push_back({"t1", 1, 4, "0->1", closed_form, tlm, rule});
    };
    add(2.0, 2.0, reason::upstream_share);
    add(2.0, 2.16, reason::upstream_share);
    add(2.0, 1.0, reason::head_of_line);
    add(1.0, 1.12, reason::none);
    EXPECT_DOUBLE_EQ(c.share_within(0.05), 0.25);
    EXPECT_DOUBLE_EQ(c.share_within(0.10), 0.5);
    EXPECT_DOUBLE_EQ(c.share_within(0.15), 0.75);
    EXPECT_DOUBLE_EQ(level_comparison{}.share_within(0.15), 0.0);

    const auto rules = summarise_rules(c);
    ASSERT_EQ(rules.size(), 3u);
    EXPECT_EQ(rules[0].rule, reason::head_of_line);
    EXPECT_EQ(rules[0].apart, 1u);
    EXPECT_DOUBLE_EQ(rules[0].mean_difference, -0.5);
    EXPECT_EQ(rules[2].sends, 2u);
    EXPECT_NEAR(rules[2].greatest, 0.08, 1e-12);

    const auto section = comparison_section(c);
    std::size_t points = 0;
    for (const auto& i : section.items) {
        const auto* chart = std::get_if<face::chart>(&i);
        if (chart == nullptr || chart->type != face::chart::kind::scatter) continue;
        EXPECT_EQ(chart->series.size(), 3u);
        for (const auto& s : chart->series) points += s.points.size();
    }
    EXPECT_EQ(points, c.sends.size());
}

}  // namespace
}  // namespace contraflow::validate
