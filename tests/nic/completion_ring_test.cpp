// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/completion_ring.h"

#include <gtest/gtest.h>

#include <deque>

namespace contraflow::nic {
namespace {

// Three does not divide 2^32: an entry computed from the count would be used twice where the count wraps.
TEST(completion_ring, goes_on_where_its_count_wraps) {
    constexpr std::uint32_t entries = 3;
    completion_ring ring{{0x4000, entries}, 0xFFFFFFF0u, 0xFFFFFFF0u, 0xFFFFFFF0u % entries};
    std::deque<std::uint64_t> unread;
    std::uint64_t last = ring.slot + entries - 1;
    std::uint32_t sequence = 0xFFFFFFF0u;
    for (unsigned i = 0; i < 40; ++i) {
        while (!ring.full()) {
            last = (last + 1) % entries;
            EXPECT_EQ(ring.address(), 0x4000 + last * completion_record::size);
            EXPECT_EQ(ring.sequence(), ++sequence);
            for (const auto address : unread) EXPECT_NE(ring.address(), address);
            unread.push_back(ring.address());
            ring.advance();
        }
        EXPECT_EQ(unread.size(), entries);
        for (unsigned n = 1 + i % entries; n > 0; --n, ++ring.read) unread.pop_front();
    }
    EXPECT_LT(ring.written, 100u);
}

TEST(completion_ring, that_is_not_set_up_has_no_room) { EXPECT_TRUE(completion_ring{}.full()); }

}  // namespace
}  // namespace contraflow::nic
