// SPDX-License-Identifier: Apache-2.0
#include "core/event_queue.h"

#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace contraflow::core {
namespace {

void nothing(void*, std::uint64_t) {}

TEST(event_queue, gives_back_in_order_of_time_then_of_coming) {
    event_queue q;
    for (const std::uint64_t t : std::vector<std::uint64_t>{5'000'000'000, 7, 2'000, 7, 1'500'000, 7})
        q.push(t, nothing, nullptr, t);
    EXPECT_EQ(q.next_time(), 7u);
    event_queue::entry e{};
    EXPECT_FALSE(q.pop(6, e));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
    while (q.pop(event_queue::never - 1, e)) got.emplace_back(e.time_ps, e.sequence);
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted{{7, 1},     {7, 3},         {7, 5},
                                                                      {2'000, 2}, {1'500'000, 4}, {5'000'000'000, 0}};
    EXPECT_EQ(got, wanted);
    EXPECT_TRUE(q.empty());
    EXPECT_EQ(q.next_time(), event_queue::never);
}

// Compares with a sorted map, with times from the same instant to far beyond the wheel.
TEST(event_queue, equals_a_sorted_map_on_random_traffic) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 60; ++round) {
        event_queue q;
        std::multimap<std::uint64_t, std::uint64_t> wanted;  // equal keys stay in the order of insertion
        std::uint64_t now = 0, count = 0;
        const std::uint64_t wait = std::uint64_t{1} << (random() % 36);
        for (int step = 0; step < 3000; ++step) {
            for (auto n = random() % 4; n > 0; --n) {
                const std::uint64_t t = now + (random() % 3 == 0 ? 0 : random() % wait);
                q.push(t, nothing, nullptr, count);
                wanted.emplace(t, count++);
            }
            ASSERT_EQ(q.size(), wanted.size());
            ASSERT_EQ(q.next_time(), wanted.empty() ? event_queue::never : wanted.begin()->first);
            const std::uint64_t until = now + random() % (2 * wait);
            event_queue::entry e{};
            for (auto n = random() % 4; n > 0 && q.pop(until, e); --n) {
                ASSERT_FALSE(wanted.empty());
                ASSERT_EQ(e.time_ps, wanted.begin()->first);
                ASSERT_EQ(e.argument, wanted.begin()->second);
                wanted.erase(wanted.begin());
                now = e.time_ps;
            }
            if (!wanted.empty() && wanted.begin()->first <= until) continue;
            ASSERT_FALSE(q.pop(until, e));
        }
    }
}

}  // namespace
}  // namespace contraflow::core
