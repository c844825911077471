// SPDX-License-Identifier: Apache-2.0
#include "observe/wait_chain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace contraflow::observe {
namespace {

using core::sim_time;
using core::wait_edge;
using ::testing::ElementsAre;

wait_edge edge(std::string waiter, std::string holder, std::uint64_t since_ns) {
    return {std::move(waiter), "credit", std::move(holder), sim_time::from_ns(since_ns)};
}

std::vector<std::string> waiters(const wait_chain& chain) {
    std::vector<std::string> names;
    for (const auto& e : chain.edges) names.push_back(e.waiter);
    return names;
}

TEST(wait_chain, of_nobody_is_empty) {
    EXPECT_TRUE(longest_chain({}).edges.empty());
    EXPECT_TRUE(longest_chain({}).lines().empty());
    EXPECT_TRUE(any_cycle({}).edges.empty());
}

TEST(wait_chain, starts_at_the_longest_wait_and_follows_the_holders) {
    const std::vector<wait_edge> edges{edge("b", "c", 20), edge("x", "y", 15), edge("a", "b", 10)};
    const auto chain = longest_chain(edges);
    EXPECT_THAT(waiters(chain), ElementsAre("a", "b"));
    EXPECT_FALSE(chain.cycle_begin);
    EXPECT_THAT(chain.lines(), ElementsAre("a waits for credit of b (since 10ns)",
                                           "b waits for credit of c (since 20ns)", "c reports no wait of its own"));
    EXPECT_TRUE(any_cycle(edges).edges.empty());
}

TEST(wait_chain, closes_a_cycle_of_two) {
    const auto chain = longest_chain({edge("a", "b", 1), edge("b", "a", 2)});
    EXPECT_THAT(chain.lines(), ElementsAre("a waits for credit of b (since 1ns)",
                                           "b waits for credit of a (since 2ns), which closes the cycle at a"));
    EXPECT_EQ(chain.cycle_begin, 0u);
}

TEST(wait_chain, leads_into_a_cycle_of_three) {
    const auto chain = longest_chain({edge("c", "a", 9), edge("a", "b", 8), edge("dma", "a", 1), edge("b", "c", 7)});
    EXPECT_THAT(waiters(chain), ElementsAre("dma", "a", "b", "c"));
    EXPECT_EQ(chain.cycle_begin, 1u);
    EXPECT_EQ(chain.lines().back(), "c waits for credit of a (since 9ns), which closes the cycle at a");
}

TEST(wait_chain, sees_who_waits_for_itself) {
    const auto chain = longest_chain({edge("a", "a", 3)});
    EXPECT_THAT(chain.lines(), ElementsAre("a waits for credit of a (since 3ns), which closes the cycle at a"));
}

TEST(wait_chain, follows_parts_and_wholes) {
    const auto chain = longest_chain({edge("gpu0.dma", "k80_0", 1), edge("k80_0.in[1]", "root", 2),
                                      edge("root.out", "gpu0", 3), edge("k80_01.in[0]", "elsewhere", 0)});
    // k80_01 has waited longest but is not part of k80_0.
    EXPECT_THAT(waiters(chain), ElementsAre("k80_01.in[0]"));
    const auto cycle = longest_chain({edge("gpu0.dma", "k80_0", 1), edge("k80_0.in[1]", "root.out.buffer", 2),
                                      edge("root.out", "gpu0", 3), edge("k80_01.in[0]", "elsewhere", 4)});
    EXPECT_THAT(waiters(cycle), ElementsAre("gpu0.dma", "k80_0.in[1]", "root.out"));
    EXPECT_EQ(cycle.cycle_begin, 0u);
}

TEST(wait_chain, prefers_the_holder_itself_to_its_parts) {
    const auto chain = longest_chain({edge("a", "sw", 1), edge("sw.in[0]", "x", 2), edge("sw", "y", 3)});
    EXPECT_THAT(waiters(chain), ElementsAre("a", "sw"));
}

TEST(wait_chain, prefers_the_way_into_a_cycle_to_the_longer_wait) {
    const auto chain = longest_chain(
        {edge("a", "sw", 1), edge("sw", "open", 2), edge("open", "nobody", 2), edge("sw", "b", 3), edge("b", "a", 4)});
    EXPECT_THAT(waiters(chain), ElementsAre("a", "sw", "b"));
    EXPECT_EQ(chain.cycle_begin, 0u);
}

TEST(wait_chain, follows_the_longer_wait_where_nothing_closes) {
    const auto chain =
        longest_chain({edge("a", "sw", 1), edge("sw", "new", 9), edge("sw", "old", 5), edge("old", "z", 6)});
    EXPECT_THAT(waiters(chain), ElementsAre("a", "sw", "old"));
}

TEST(wait_chain, finds_a_cycle_off_the_longest_chain) {
    const std::vector<wait_edge> edges{edge("a", "z", 1), edge("d", "b", 2), edge("b", "c", 3), edge("c", "b", 4)};
    EXPECT_FALSE(longest_chain(edges).cycle_begin);
    EXPECT_THAT(waiters(any_cycle(edges)), ElementsAre("b", "c"));
    EXPECT_EQ(any_cycle(edges).cycle_begin, 0u);
}

TEST(wait_chain, survives_a_long_one) {
    std::vector<wait_edge> edges;
    for (std::uint64_t i = 0; i < 1500; ++i)
        edges.push_back(edge(fmt::format("n{}", i), fmt::format("n{}", (i + 1) % 1500), i));
    const auto chain = longest_chain(edges);
    EXPECT_EQ(chain.edges.size(), 1500u);
    EXPECT_EQ(chain.cycle_begin, 0u);
}

}  // namespace
}  // namespace contraflow::observe
