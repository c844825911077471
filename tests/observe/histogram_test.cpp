// SPDX-License-Identifier: Apache-2.0
#include "observe/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace contraflow::observe {
namespace {

struct histogram_test : ::testing::Test {
    statistics all;
    histogram h{all, "latency", "ps", "text"};
};

TEST_F(histogram_test, is_empty_at_first) {
    EXPECT_EQ(h.count(), 0u);
    EXPECT_EQ(h.mean(), 0);
    EXPECT_EQ(h.percentile(0.5), 0);
    EXPECT_EQ(h.percentile(1), 0);
}

TEST_F(histogram_test, is_exact_below_64) {
    for (std::uint64_t v = 0; v < 64; ++v) h.add(v);
    for (std::uint64_t v = 0; v < 64; ++v)
        EXPECT_EQ(h.percentile(static_cast<double>(v + 1) / 64), static_cast<double>(v));
    EXPECT_EQ(h.mean(), 31.5);
    EXPECT_EQ(h.max(), 63u);
}

TEST_F(histogram_test, a_value_in_a_bucket_of_several_is_shown_as_its_middle) {
    for (const std::uint64_t v : {64u, 65u, 1000u}) h.add(v);
    EXPECT_EQ(h.percentile(0.5), 64.5);
}

TEST_F(histogram_test, percentile_is_the_nearest_rank) {
    for (const std::uint64_t v : {10, 20, 30, 40}) h.add(v);
    EXPECT_EQ(h.percentile(0), 10);
    EXPECT_EQ(h.percentile(0.25), 10);
    EXPECT_EQ(h.percentile(0.26), 20);
    EXPECT_EQ(h.percentile(0.5), 20);
    EXPECT_EQ(h.percentile(0.95), 40);
}

TEST_F(histogram_test, one_large_value_is_within_a_thirty_second) {
    for (unsigned bit = 6; bit < 64; ++bit) {
        for (const std::uint64_t offset : {-1, 0, 1, 37}) {
            const std::uint64_t value = (std::uint64_t{1} << bit) + offset;
            h.reset({});
            h.add(value);
            h.add(std::numeric_limits<std::uint64_t>::max());
            EXPECT_NEAR(h.percentile(0.5), static_cast<double>(value), static_cast<double>(value) / 32) << value;
        }
    }
}

TEST_F(histogram_test, percentiles_of_random_values_are_within_a_thirty_second) {
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> values(20'000);
    for (auto& v : values) v = random() >> (random() % 60);
    for (const auto v : values) h.add(v);
    std::sort(values.begin(), values.end());
    for (const double share : {0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
        const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
        const auto exact = static_cast<double>(values[rank - 1]);
        EXPECT_NEAR(h.percentile(share), exact, exact / 32) << share;
    }
    EXPECT_EQ(h.percentile(1), static_cast<double>(values.back()));
}

TEST_F(histogram_test, mean_survives_sums_beyond_64_bits) {
    const std::uint64_t big = std::uint64_t{1} << 63;
    for (int i = 0; i < 5; ++i) h.add(big);
    EXPECT_EQ(h.mean(), std::ldexp(1.0, 63));
    EXPECT_EQ(h.percentile(0.5), std::ldexp(1.0, 63));  // never above the maximum
}

TEST_F(histogram_test, rows_carry_the_latency_table) {
    for (std::uint64_t v = 1; v <= 50; ++v) h.add(v);
    const auto rows = all.rows({});
    ASSERT_EQ(rows.size(), 6u);
    const std::vector<std::pair<std::string, double>> expected{{"count", 50}, {"mean", 25.5}, {"p50", 25},
                                                               {"p95", 48},   {"p99", 50},    {"max", 50}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].metric, expected[i].first);
        EXPECT_EQ(rows[i].value, expected[i].second) << rows[i].metric;
        EXPECT_EQ(rows[i].unit, i == 0 ? "samples" : "ps");
    }
}

}  // namespace
}  // namespace contraflow::observe
