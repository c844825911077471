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
    std::uint64_t count = 0;
    for (const std::uint64_t t : std::vector<std::uint64_t>{5'000'000'000, 7, 2'000, 7, 1'500'000, 7})
        q.push(t, nothing, nullptr, count++);
    EXPECT_EQ(q.next_time(), 7u);
    event_queue::entry e{};
    EXPECT_FALSE(q.pop(6, e));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
    while (q.pop(event_queue::never - 1, e)) got.emplace_back(e.time_ps, e.argument);
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted{{7, 1},     {7, 3},         {7, 5},
                                                                      {2'000, 2}, {1'500'000, 4}, {5'000'000'000, 0}};
    EXPECT_EQ(got, wanted);
    EXPECT_TRUE(q.empty());
    EXPECT_EQ(q.next_time(), event_queue::never);
}

// Entries beyond the wheel come before those of their time that were pushed when it was near.
TEST(event_queue, far_entries_come_in_order_with_near_ones_of_their_slot) {
    event_queue q;
    constexpr std::uint64_t slot = 3'000'000;
    event_queue::entry e{};
    q.push(slot + 5, nothing, nullptr, 0);
    q.push(slot + 9, nothing, nullptr, 1);
    q.push(slot - 500'000, nothing, nullptr, 2);
    ASSERT_TRUE(q.pop(slot - 1, e));
    for (const std::uint64_t t : {5, 2, 9, 7, 5}) q.push(slot + t, nothing, nullptr, 10 + t);
    std::vector<std::uint64_t> got;
    while (q.pop(event_queue::never - 1, e)) got.push_back(e.argument);
    EXPECT_EQ(got, (std::vector<std::uint64_t>{12, 0, 15, 15, 17, 1, 19}));
}

// Beyond the wheel, many entries have the same few times.
TEST(event_queue, far_entries_of_one_time_come_in_the_order_of_coming) {
    event_queue q;
    std::map<std::pair<std::uint64_t, std::uint64_t>, bool> wanted;
    std::mt19937_64 random(3);
    for (std::uint64_t n = 0; n < 300; ++n) {
        const std::uint64_t t = 5'000'000 + random() % 4;
        EXPECT_EQ(q.push(t, nothing, nullptr, n), event_queue::nowhere);
        wanted[{t, n}] = true;
    }
    event_queue::entry e{};
    for (const auto& [entry, there] : wanted) {
        ASSERT_TRUE(q.pop(event_queue::never - 1, e));
        ASSERT_EQ(std::pair(e.time_ps, e.argument), entry);
    }
    EXPECT_TRUE(q.empty());
}

// A full nanosecond that holds entries from far ahead and many more that come near it, in any order of time.
TEST(event_queue, a_full_slot_takes_far_entries_first) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 50; ++round) {
        event_queue q;
        std::multimap<std::uint64_t, std::uint64_t> wanted;  // equal times in order of coming
        std::uint64_t count = 0;
        constexpr std::uint64_t slot = 5'000'000;
        const auto push = [&](std::uint64_t time) {
            q.push(time, nothing, nullptr, count);
            wanted.emplace(time, count++);
        };
        for (int i = 0; i < 20; ++i) push(slot + random() % 40 * 25);
        push(slot - 900'000);
        event_queue::entry e{};
        ASSERT_TRUE(q.pop(event_queue::never - 1, e));
        wanted.erase(wanted.begin());
        for (int i = 0; i < 200; ++i) push(slot + random() % 40 * 25);
        for (int i = 0; !wanted.empty(); ++i) {
            ASSERT_EQ(q.next_time(), wanted.begin()->first);
            ASSERT_TRUE(q.pop(event_queue::never - 1, e));
            ASSERT_EQ(std::pair(e.time_ps, e.argument), std::pair(wanted.begin()->first, wanted.begin()->second));
            wanted.erase(wanted.begin());
            if (i % 3 == 0 && i < 150) push(e.time_ps + random() % 900);
        }
        ASSERT_TRUE(q.empty());
    }
}

// Compares with a sorted map, with times from the same instant to far beyond the wheel, and many within a slot.
TEST(event_queue, equals_a_sorted_map_on_random_traffic) {
    std::mt19937_64 random(1);
    std::uint64_t removed = 0;
    for (int round = 0; round < 120; ++round) {
        event_queue q;
        using key = std::pair<std::uint64_t, std::uint64_t>;  // time, number in order of coming
        std::map<key, event_queue::place> wanted;
        std::uint64_t now = 0, count = 0;
        const std::uint64_t wait = std::uint64_t{1} << (random() % 36);
        const unsigned most = round % 4 == 0 ? 60 : 4;
        for (int step = 0; step < 3000; ++step) {
            if (wanted.size() < 1000)
                for (auto n = random() % most; n > 0; --n) {
                    const std::uint64_t t = now + (random() % 3 == 0 ? 0 : random() % wait);
                    const auto place = q.push(t, nothing, nullptr, count);
                    wanted.emplace(key(t, count++), place);
                }
            if (!wanted.empty() && random() % 2 == 0) {
                const auto gone = wanted.lower_bound({now + random() % wait, 0});
                if (gone != wanted.end() && gone->second != event_queue::nowhere) {
                    q.remove(gone->second);
                    wanted.erase(gone);
                    ++removed;
                }
            }
            ASSERT_EQ(q.size(), wanted.size());
            ASSERT_EQ(q.next_time(), wanted.empty() ? event_queue::never : wanted.begin()->first.first);
            const std::uint64_t until = now + random() % (2 * wait);
            event_queue::entry e{};
            for (auto n = random() % most; n > 0 && q.pop(until, e); --n) {
                ASSERT_FALSE(wanted.empty());
                ASSERT_EQ(key(e.time_ps, e.argument), wanted.begin()->first);
                wanted.erase(wanted.begin());
                now = e.time_ps;
            }
            if (!wanted.empty() && wanted.begin()->first.first <= until) continue;
            ASSERT_FALSE(q.pop(until, e));
        }
    }
    EXPECT_GT(removed, 10'000u);
}

}  // namespace
}  // namespace contraflow::core
