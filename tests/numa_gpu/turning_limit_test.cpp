// SPDX-License-Identifier: Apache-2.0
// What turning lanes can bring at most, from when links had one direction alone saturated.
#include <gtest/gtest.h>

#include "lanes/link_result.h"

namespace contraflow::lanes {
namespace {

link_result one_way(std::vector<std::pair<std::uint64_t, std::uint64_t>> ns) {
    link_result l;
    for (const auto& [begin, end] : ns)
        l.one_way.push_back({core::sim_time::from_ns(begin), core::sim_time::from_ns(end)});
    return l;
}

TEST(turning_limit, counts_a_time_once_whatever_links_it_is_of) {
    EXPECT_EQ(one_way_somewhere({}), core::sim_time{});
    EXPECT_EQ(one_way_somewhere({one_way({}), one_way({{1000, 2000}})}), core::sim_time::from_ns(1000));
    // 0 to 3 us, 4 to 5, 8 to 9.
    EXPECT_EQ(one_way_somewhere({one_way({{0, 1000}, {1000, 2000}, {8000, 9000}}),
                                 one_way({{1000, 2000}, {4000, 5000}}), one_way({{0, 3000}})}),
              core::sim_time::from_ns(5000));
}

// 8 lanes a direction, of which one stays: 15 instead of 8.
TEST(turning_limit, is_amdahls_law) {
    link::lane_spec lanes;
    ASSERT_EQ(lanes.lanes_per_direction, 8u);
    ASSERT_EQ(lanes.min_lanes, 1u);
    EXPECT_DOUBLE_EQ(amdahl_of_turning(0, lanes), 1);
    EXPECT_DOUBLE_EQ(amdahl_of_turning(1, lanes), 15.0 / 8);
    EXPECT_DOUBLE_EQ(amdahl_of_turning(0.5, lanes), 1 / (0.5 + 0.5 * 8 / 15));
    lanes.min_lanes = 8;
    EXPECT_DOUBLE_EQ(amdahl_of_turning(1, lanes), 1);
}

}  // namespace
}  // namespace contraflow::lanes
