// SPDX-License-Identifier: Apache-2.0
#include "core/bounded_queue.h"

#include <gtest/gtest.h>

using contraflow::core::bounded_queue;

TEST(bounded_queue, refuses_when_full_and_keeps_order) {
    bounded_queue<int> q(3);
    EXPECT_TRUE(q.try_push(1) && q.try_push(2) && q.try_push(3));
    EXPECT_FALSE(q.try_push(4));
    EXPECT_EQ(q.pop(), 1);
    EXPECT_TRUE(q.try_push(5));
    EXPECT_EQ(q[2], 5);
    EXPECT_EQ(q.pop(), 2);
    EXPECT_EQ(q.pop(), 3);
    EXPECT_EQ(q.pop(), 5);
    EXPECT_TRUE(q.empty());
}
