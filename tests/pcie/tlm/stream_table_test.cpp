// SPDX-License-Identifier: Apache-2.0
#include "pcie/dma/stream_table.h"

#include <gtest/gtest.h>

using namespace contraflow;
using namespace contraflow::pcie;

namespace {

stream of_size(std::uint64_t size) {
    stream s;
    s.size = {size};
    return s;
}

core::sim_time us(std::uint64_t n) { return core::sim_time::from_us(n); }

}  // namespace

TEST(stream_table, the_first_step_ends_when_another_begins_or_ends) {
    stream_table t({of_size(1000), of_size(1000)});
    t.arrive(0, 100, us(1));
    t.arrive(0, 200, us(2));
    t.arrive(1, 100, us(3));
    EXPECT_EQ(t[0].first_step_end, us(3));
    EXPECT_EQ(t[0].first_step_bytes, 200u);
    t.arrive(0, 700, us(5));
    EXPECT_TRUE(t[0].done());
    EXPECT_EQ(t[1].first_step_end, us(5));
    EXPECT_EQ(t[1].first_step_bytes, 0u);
    EXPECT_EQ(t[0].first_step_bytes, 200u);  // settled
}

TEST(stream_table, what_begins_almost_together_begins_a_step_together) {
    stream_table t({of_size(100'000), of_size(100'000)});
    t.arrive(0, 100, us(1));
    t.arrive(0, 100, us(2));
    t.arrive(1, 100, us(3));
    EXPECT_EQ(t[0].first_step_end, core::sim_time::never());
    EXPECT_EQ(t[0].first_arrival, us(3));
    t.arrive(0, 50'000, us(4));
    t.arrive(1, 99'900, us(5));
    EXPECT_EQ(t[0].first_step_end, us(5));
    EXPECT_EQ(t[0].first_step_bytes, 50'000u);
}
