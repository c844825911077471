// SPDX-License-Identifier: Apache-2.0
#include "shmem/symmetric_heap.h"

#include <gmock/gmock.h>

#include <random>

#include "shmem/error.h"

using namespace contraflow::shmem;

namespace {

std::string refused(const std::function<void()>& f) {
    try {
        f();
    } catch (const error& e) { return e.what(); }
    return "nothing was refused";
}

TEST(symmetric_heap, gives_all_pes_the_same_offsets_whoever_asks_first) {
    symmetric_heap h(3, 100, 10'000);
    const auto a = h.allocate(1, 500), b = h.allocate(1, 8);
    EXPECT_EQ(h.allocate(0, 500), a);
    EXPECT_EQ(h.allocate(2, 500), a);
    EXPECT_EQ(h.allocate(2, 8), b);
    EXPECT_EQ(a, 128u);
    EXPECT_EQ(b, 640u);
    EXPECT_EQ(refused([&] { h.check_calls(); }),
              "PE 0 has not made call 2 of the symmetric heap, which is malloc of 8 bytes of PE 1");
    EXPECT_EQ(h.allocate(0, 8), b);
    h.check_calls();
}

TEST(symmetric_heap, a_call_that_differs_from_that_of_the_others_is_refused) {
    symmetric_heap h(2, 0, 10'000);
    h.allocate(0, 500);
    EXPECT_EQ(refused([&] { h.allocate(1, 400); }),
              "PE 1: malloc of 400 bytes is its call 1 of the symmetric heap, and that of PE 0 is malloc of 500 bytes");
    EXPECT_EQ(refused([&] { h.release(1, 0); }),
              "PE 1: free at offset 0x0 is its call 1 of the symmetric heap, and that of PE 0 is malloc of 500 bytes");
    EXPECT_EQ(h.allocate(1, 500), 0u);
}

TEST(symmetric_heap, says_when_it_is_full_and_when_nothing_begins_at_an_offset) {
    symmetric_heap h(1, 0, 1024);
    h.allocate(0, 1000);
    EXPECT_EQ(refused([&] { h.allocate(0, 1); }),
              "PE 0: malloc of 1 bytes: the symmetric heap has 1024 bytes, 1000 in use");
    EXPECT_EQ(refused([&] { h.release(0, 8); }), "PE 0: free at offset 0x8: nothing that was allocated begins there");
    h.release(0, 0);
    EXPECT_EQ(h.allocate(0, 1024), 0u);
    EXPECT_EQ(refused([&] { h.allocate(0, ~std::uint64_t{0} - 64); }),
              "PE 0: malloc of 18446744073709551551 bytes: the symmetric heap has 1024 bytes, 1024 in use");
}

TEST(symmetric_heap, room_that_was_freed_is_used_by_what_fits_exactly) {
    symmetric_heap h(1, 0, 10'000);
    const auto first = h.allocate(0, 256), second = h.allocate(0, 256);
    EXPECT_EQ(second, first + 256);
    h.release(0, first);
    EXPECT_EQ(h.allocate(0, 256), first);
}

TEST(symmetric_heap, random_calls_never_overlap_and_use_freed_room_again) {
    symmetric_heap h(1, 0, 64 * 1024);
    std::mt19937_64 draw(7);
    std::map<std::uint64_t, std::uint64_t> live;
    unsigned full = 0;
    for (unsigned i = 0; i < 5000; ++i) {
        if (live.empty() || draw() % 2 == 0) {
            const std::uint64_t bytes = 1 + draw() % 3000;
            try {
                const std::uint64_t at = h.allocate(0, bytes);
                ASSERT_EQ(at % symmetric_heap::alignment, 0u);
                ASSERT_LE(at + bytes, 64u * 1024);
                const auto next = live.lower_bound(at);
                ASSERT_TRUE(next == live.end() || at + bytes <= next->first);
                ASSERT_TRUE(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= at);
                live[at] = bytes;
            } catch (const error&) { ++full; }
        } else {
            const auto one = std::next(live.begin(), static_cast<long>(draw() % live.size()));
            h.release(0, one->first);
            live.erase(one);
        }
        std::uint64_t sum = 0;
        for (const auto& [at, bytes] : live) sum += bytes;
        ASSERT_EQ(h.in_use(), sum);
    }
    EXPECT_LT(full, 2000u);
}

}  // namespace
