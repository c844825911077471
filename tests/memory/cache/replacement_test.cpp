// SPDX-License-Identifier: Apache-2.0
// The victim of each policy; and the table names every policy that has a file.

#include <gtest/gtest.h>

#include "memory/cache/replacement.h"

using namespace contraflow::memory;

namespace {

constexpr std::uint64_t all_four = 0xf;

std::unique_ptr<replacement_if> filled(const char* name) {
    auto policy = make_replacement(name, {2, 4, 9});
    for (unsigned way : {2u, 0u, 3u, 1u}) policy->filled(1, way);
    return policy;
}

TEST(replacement, lru_takes_what_was_not_used_for_longest) {
    const auto policy = filled("lru");
    EXPECT_EQ(policy->victim(1, all_four), 2u);
    policy->used(1, 2);
    EXPECT_EQ(policy->victim(1, all_four), 0u);
    EXPECT_EQ(policy->victim(1, 0b1010), 3u);
}

TEST(replacement, fifo_takes_what_came_first) {
    const auto policy = filled("fifo");
    policy->used(1, 2);
    EXPECT_EQ(policy->victim(1, all_four), 2u);
    policy->filled(1, 2);
    EXPECT_EQ(policy->victim(1, all_four), 0u);
}

TEST(replacement, the_tree_points_away_from_what_was_used) {
    const auto policy = filled("tree_plru");  // last: 3, then 1
    EXPECT_EQ(policy->victim(1, all_four), 2u);
    policy->used(1, 2);
    EXPECT_EQ(policy->victim(1, all_four), 0u);
    EXPECT_EQ(policy->victim(1, 0b1000), 3u);
    EXPECT_EQ(policy->victim(1, 0b0110), 1u);
    EXPECT_EQ(policy->victim(0, all_four), 0u);  // the other set is not affected
}

TEST(replacement, the_tree_never_names_a_way_that_is_not_there) {
    const auto policy = make_replacement("tree_plru", {1, 3, 1});
    for (unsigned i = 0; i < 20; ++i) {
        const unsigned way = policy->victim(0, 0b111);
        ASSERT_LT(way, 3u);
        policy->filled(0, way);
    }
}

TEST(replacement, lots_are_fair_and_the_same_for_the_same_seed) {
    const auto one = make_replacement("random", {1, 4, 5});
    const auto same = make_replacement("random", {1, 4, 5});
    const auto other = make_replacement("random", {1, 4, 6});
    std::array<unsigned, 4> drawn{};
    unsigned different = 0;
    for (unsigned i = 0; i < 4000; ++i) {
        const unsigned way = one->victim(0, all_four);
        ++drawn[way];
        ASSERT_EQ(same->victim(0, all_four), way);
        different += other->victim(0, all_four) != way;
    }
    for (const unsigned n : drawn) EXPECT_NEAR(n, 1000, 150);
    EXPECT_GT(different, 2000u);
    EXPECT_EQ(one->victim(0, 0b0100), 2u);
}

TEST(replacement, every_policy_works_with_64_ways_and_starts_again_after_a_reset) {
    for (const auto& policy : replacement_policies()) {
        const auto made = policy.make({2, 64, 3});
        std::vector<unsigned> first;
        for (unsigned round = 0; round < 2; ++round) {
            std::vector<unsigned> order;
            for (unsigned way = 0; way < 64; ++way) made->filled(1, way);
            for (unsigned i = 0; i < 100; ++i) {
                order.push_back(made->victim(1, ~std::uint64_t{0}));
                ASSERT_LT(order.back(), 64u);
                made->filled(1, order.back());
            }
            if (round == 0) first = order;
            EXPECT_EQ(order, first) << policy.name;
            made->reset();
        }
    }
}

TEST(replacement, an_unknown_name_is_refused_with_those_there_are) {
    try {
        make_replacement("lfu", {1, 1, 1});
        FAIL();
    } catch (const std::invalid_argument& e) {
        EXPECT_STREQ(e.what(), "replacement policy 'lfu' is none of lru fifo random tree_plru");
    }
}

TEST(replacement, every_policy_says_what_it_does) {
    for (const auto& policy : replacement_policies()) EXPECT_FALSE(policy.text.empty()) << policy.name;
}

}  // namespace
