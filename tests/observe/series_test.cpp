// SPDX-License-Identifier: Apache-2.0
#include "observe/series.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace contraflow::observe {
namespace {

using core::sim_time;

TEST(series, sums_by_window) {
    statistics all;
    series s(all, "up.bytes", "B", "text", sim_time::from_ns(10));
    EXPECT_TRUE(s.points().empty());
    s.add(sim_time::from_ns(0), 1);
    s.add(sim_time::from_ns(9), 2);
    s.add(sim_time::from_ns(10), 4);
    s.add(sim_time::from_ns(39), 8);
    const auto points = s.points();
    ASSERT_EQ(points.size(), 4u);
    const double expected[] = {3, 4, 0, 8};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(points[i].begin, sim_time::from_ns(10 * i));
        EXPECT_EQ(points[i].amount, expected[i]);
    }
    const auto rows = all.rows(sim_time::from_ns(40));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].value, 15);
    EXPECT_EQ(rows[1].unit, "B/s");
    EXPECT_DOUBLE_EQ(rows[1].value, 8 / 10e-9);
}

TEST(series, doubles_its_window_and_loses_nothing) {
    statistics all;
    series s(all, "up.bytes", "B", "text", sim_time{1});
    double added = 0;
    for (std::uint64_t t = 0; t < 100'000; ++t) {
        s.add({t}, static_cast<double>(t % 7));
        added += static_cast<double>(t % 7);
    }
    EXPECT_EQ(s.window(), sim_time{32});  // the least power of two that covers 100,000 ps in 4,096 windows
    const auto points = s.points();
    EXPECT_EQ(points.size(), 100'000u / 32);
    double total = 0;
    for (const auto& p : points) total += p.amount;
    EXPECT_EQ(total, added);
    double first = 0;
    for (std::uint64_t t = 0; t < 32; ++t) first += static_cast<double>(t % 7);
    EXPECT_EQ(points.front().amount, first);
}

TEST(series, jumps_far_ahead_in_bounded_memory) {
    statistics all;
    series s(all, "up.bytes", "B", "text", sim_time{1});
    s.add({0}, 1);
    s.add(sim_time::from_seconds(3600), 2);
    const auto points = s.points();
    EXPECT_LE(points.size(), series::max_windows);
    EXPECT_EQ(points.front().amount, 1);
    EXPECT_EQ(points.back().amount, 2);
    EXPECT_LE(points.back().begin, sim_time::from_seconds(3600));
    EXPECT_GT(points.back().begin + s.window(), sim_time::from_seconds(3600));
}

TEST(series, refuses_a_window_of_0) {
    statistics all;
    EXPECT_THROW(series(all, "s", "B", "text", {}), std::logic_error);
    EXPECT_TRUE(all.rows({}).empty());
}

}  // namespace
}  // namespace contraflow::observe
