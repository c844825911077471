// SPDX-License-Identifier: Apache-2.0
// The comparison of both levels: its graphs can be made again, and its numbers are those of its communications.
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/random.h"
#include "transfers/communications.h"
#include "validate/pcie_tree/level_comparison.h"

namespace contraflow::validate {
namespace {

comparison_spec small() {
    comparison_spec spec;
    spec.graphs = 56;
    spec.simulated_every = 3;  // and 14 kinds of graphs
    spec.least = core::bytes{1u << 14};
    spec.greatest = core::bytes{1u << 17};
    return spec;
}

TEST(comparison, draws_graphs_with_a_source_for_each_send) {
    std::uint64_t seed = 1;
    for (unsigned n = 2; n <= 8; ++n) {
        const std::uint64_t from = seed;
        const auto graph = draw_graph({}, n, seed);
        ASSERT_EQ(graph.sends.size(), n);
        std::set<unsigned> sources;
        for (const auto& [source, destination, size] : graph.sends) {
            sources.insert(source);
            EXPECT_NE(source, destination);
            EXPECT_LT(std::max(source, destination), 8u);
            EXPECT_GE(size, comparison_spec{}.least);
            EXPECT_LE(size, comparison_spec{}.greatest);
        }
        EXPECT_EQ(sources.size(), n);
        EXPECT_GE(graph.seed, from);
        EXPECT_EQ(seed, graph.seed + 1);
    }
}

// The report's note is true: pcie_tree's random pattern makes the same graph again.
TEST(comparison, draws_what_the_random_pattern_makes) {
    std::uint64_t seed = 100;
    const auto graph = draw_graph({}, 5, seed);
    transfers::transfer_spec wanted;
    wanted.pattern.kind = transfers::pattern_kind::random;
    wanted.pattern.count = 5;
    wanted.pattern.seed = graph.seed;
    wanted.pattern.min_size = core::bytes{1u << 18};
    wanted.pattern.max_size = core::bytes{1u << 21};
    const auto& tree = shipped_tree("t2");
    machines::configured_tree configured{tree, std::vector(tree.size(), machines::device_role::gpu)};
    config::diagnostics diag;
    const auto sends = transfers::resolve_communications(
        wanted, configured, [](std::string_view) { return config::location{}; }, diag);
    ASSERT_TRUE(sends);
    ASSERT_EQ(sends->size(), graph.sends.size());
    for (std::size_t i = 0; i < sends->size(); ++i) {
        EXPECT_EQ((*sends)[i].from, gpu(tree, graph.sends[i].from));
        EXPECT_EQ((*sends)[i].to, gpu(tree, graph.sends[i].to));
        EXPECT_EQ((*sends)[i].size, graph.sends[i].size);
    }
}

TEST(comparison, is_the_same_every_time) {
    const auto once = compare_levels(small(), {});
    const auto again = compare_levels(small(), {});
    ASSERT_EQ(once.sends.size(), again.sends.size());
    EXPECT_EQ(once.predicted.size(), 56u / 7 * (2 + 3 + 4 + 5 + 6 + 7 + 8));
    EXPECT_EQ(once.graphs(), 19u);
    std::map<unsigned, unsigned> simulated;  // communications of a graph, and how many graphs
    for (const auto& s : once.sends) ++simulated[s.communications];
    EXPECT_EQ(simulated.size(), 7u) << "a number of communications is not in the sample";
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

// What the straight line says of a size between its ends is what TLM takes.
TEST(comparison, interpolates_the_time_alone) {
    const comparison_spec spec;
    for (const auto& name : spec.trees) {
        const auto& tree = shipped_tree(name);
        const time_alone alone(tree, spec.least, spec.greatest, {});
        for (const std::uint64_t bytes : {300'001ull, 1'000'000ull, 1'999'999ull}) {
            const double seconds = tlm_times(tree, {send(tree, 0, 1, {bytes})}, {}).front();
            EXPECT_NEAR(alone.seconds({bytes}) / seconds, 1.0, 0.002) << name << ' ' << bytes;
        }
    }
}

// Many small samples of a population with a known share: their intervals hold it about 95 times of 100. Half of the
// graphs are good throughout and half of them bad, so that communications taken one by one would tell of too little.
TEST(comparison, gives_the_confidence_of_a_share) {
    core::random_source draw(7);
    constexpr unsigned samples = 1000, graphs = 60;
    unsigned held = 0;
    for (unsigned s = 0; s < samples; ++s) {
        level_comparison c;
        for (unsigned g = 0; g < graphs; ++g) {
            const double tlm = draw.below(2) == 0 ? 1.0 : 1.5;
            const auto communications = static_cast<unsigned>(2 + g % 7);
            for (unsigned i = 0; i < communications; ++i)
                c.sends.push_back({{communications, 1.0, {}}, "t1", g, "0->1", tlm});
        }
        held += std::abs(c.share_within(0.15) - 0.5) <= c.share_error(0.15);
    }
    EXPECT_NEAR(held, samples * 0.95, samples * 0.025);
}

TEST(comparison, counts_shares_and_rules) {
    using pcie::model::reason;
    level_comparison c;
    const auto add = [&](double closed_form, double tlm, reason rule) {
        c.sends.push_back({{4, closed_form, rule}, "t1", 1, "0->1", tlm});
        c.predicted.push_back(c.sends.back());
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

    EXPECT_EQ(rules[2].predicted, 2u);

    const auto section = comparison_section({}, c);
    std::size_t points = 0;
    std::map<std::string, double> bars;
    for (const auto& i : section.items) {
        const auto* chart = std::get_if<face::chart>(&i);
        if (chart == nullptr) continue;
        if (chart->id == "differences")
            for (const auto& [x, y] : chart->series[0].points)
                if (y != 0) bars[chart->categories[static_cast<std::size_t>(x)]] = y;
        if (chart->type != face::chart::kind::scatter) continue;
        EXPECT_EQ(chart->series.size(), 3u);
        for (const auto& s : chart->series) points += s.points.size();
    }
    EXPECT_EQ(points, c.sends.size());
    EXPECT_EQ(bars, (std::map<std::string, double>{{"< -32.5", 25}, {"-2.5 to 2.5", 25}, {"7.5 to 12.5", 50}}));
}

}  // namespace
}  // namespace contraflow::validate
