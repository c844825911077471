// SPDX-License-Identifier: Apache-2.0
// Two explorers of the same rules, one of them naive, find the same outcomes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "ordering/model/machine.h"
#include "ordering/naive_explorer.h"
#include "ordering/outcomes.h"
#include "ordering/random_litmus_test.h"

using namespace contraflow::ordering;
using namespace contraflow::ordering::testing;

TEST(explorers, agree_on_what_is_written_down_in_shipped_tests) {
    for (const char* file : {CF_SHIPPED_TESTS "/steps.json", CF_SHIPPED_TESTS "/rules.json"}) {
        for (const litmus_test& t : tests_in(text_of(file))) {
            SCOPED_TRACE(t.name);
            const auto naive = explore_naively(t, 200'000);
            ASSERT_TRUE(naive && t.expected);
            EXPECT_EQ(texts(t, *naive), texts(t, *t.expected));
        }
    }
}

TEST(explorers, agree_on_random_tests) {
    constexpr std::uint32_t first_seed = 1, count = 200;
    std::size_t compared = 0, outcomes = 0, stuck = 0, stopped = 0;
    for (std::uint32_t seed = first_seed; seed < first_seed + count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const litmus_test t = random_litmus_test(seed);
        const auto naive = explore_naively(t, 2000);
        if (!naive) continue;
        ASSERT_EQ(model::machine::problem_of(t), "");
        ASSERT_EQ(texts(t, outcomes_of(t)), texts(t, *naive));
        ++compared;
        outcomes += naive->size();
        for (const outcome& o : *naive) {
            if (!o.stuck.empty()) ++stuck;
            for (const auto& q : o.bad_entry) stopped += q ? 1 : 0;
        }
    }
    // Most of them are small enough, and they are not all of one kind.
    EXPECT_GT(compared, count * 3 / 4);
    EXPECT_GT(outcomes, 2 * compared);
    EXPECT_GT(stuck, compared / 10);
    EXPECT_GT(stopped, compared / 10);
}

TEST(explorers, agree_on_changed_tests) {
    auto all = tests_in(text_of(CF_SHIPPED_TESTS "/steps.json"));
    for (litmus_test& t : tests_in(text_of(CF_SHIPPED_TESTS "/rules.json"))) all.push_back(std::move(t));
    std::size_t compared = 0;
    for (std::uint32_t seed = 0; seed < 4 * all.size(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const litmus_test t = changed_litmus_test(all[seed / 4], seed);
        const auto naive = explore_naively(t, 1500);
        if (!naive) continue;
        ASSERT_EQ(texts(t, outcomes_of(t)), texts(t, *naive)) << t.name;
        ++compared;
    }
    EXPECT_GT(compared, 2 * all.size());
}
