// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"

#include <gtest/gtest.h>

using namespace contraflow::core;

TEST(units, decimal_and_binary_prefixes_differ) {
    EXPECT_EQ(parse_unit<bytes>("300MiB").value.count, 314572800u);
    EXPECT_EQ(parse_unit<bytes>("300MB").value.count, 300000000u);
    EXPECT_DOUBLE_EQ(parse_unit<bandwidth>("11.6GiB/s").value.bytes_per_s, 11.6 * 1073741824.0);
    EXPECT_DOUBLE_EQ(parse_unit<bandwidth>("64GB/s").value.bytes_per_s, 64e9);
    EXPECT_DOUBLE_EQ(parse_unit<bandwidth>("100Gb/s").value.bytes_per_s, 12.5e9);
    EXPECT_EQ(parse_unit<sim_time>("1.8us").value.ps, 1'800'000u);
    EXPECT_EQ(parse_unit<cycles>("5kcy").value.count, 5000u);
    EXPECT_EQ(parse_unit<cycles>("5000 cycles").value.count, 5000u);
    EXPECT_DOUBLE_EQ(parse_unit<frequency>("1.4GHz").value.hz, 1.4e9);
}

TEST(units, says_what_is_wrong) {
    EXPECT_EQ(parse_unit<bytes>("300").error, unit_error::missing_unit);
    EXPECT_EQ(parse_unit<bytes>("300Mib").error, unit_error::unknown_unit);
    EXPECT_EQ(parse_unit<bytes>("x").error, unit_error::not_a_number);
    EXPECT_EQ(parse_unit<bytes>("").error, unit_error::not_a_number);
    EXPECT_EQ(parse_unit<bytes>("0.3B").error, unit_error::not_whole);
    EXPECT_EQ(parse_unit<bytes>("-3B").error, unit_error::negative);
    EXPECT_EQ(parse_unit<bytes>("99999999TiB").error, unit_error::too_large);
    EXPECT_EQ(parse_unit<bytes>("1e400B").error, unit_error::too_large);
    EXPECT_EQ(parse_unit<bandwidth>("nan").error, unit_error::not_a_number);
    EXPECT_TRUE(parse_unit<bytes>("0"));
}

TEST(units, a_sign_before_a_number_says_nothing) {
    EXPECT_EQ(parse_unit<sim_time>("+5ns").value, sim_time::from_ns(5));
    EXPECT_EQ(parse_unit<bytes>("+64KiB").value, bytes{65536});
    EXPECT_EQ(parse_unit<bandwidth>("+2GB/s").value, bandwidth::from_gb_per_s(2));
}

TEST(units, text_round_trips) {
    for (std::uint64_t n : {0ull, 1ull, 1000ull, 1024ull, 491520ull, 314572800ull, 18446744073709551615ull}) {
        EXPECT_EQ(parse_unit<bytes>(to_text(bytes{n})).value.count, n) << to_text(bytes{n});
        EXPECT_EQ(parse_unit<sim_time>(to_text(sim_time{n})).value.ps, n) << to_text(sim_time{n});
    }
    for (double v : {1.0, 11.6 * 1073741824.0, 64e9, 12455405158.4, 1.0 / 3}) {
        EXPECT_EQ(parse_unit<bandwidth>(to_text(bandwidth{v})).value.bytes_per_s, v) << to_text(bandwidth{v});
        EXPECT_EQ(parse_unit<frequency>(to_text(frequency{v})).value.hz, v) << to_text(frequency{v});
    }
    EXPECT_EQ(to_text(bytes{314572800}), "300MiB");
    EXPECT_EQ(to_text(bandwidth::from_gib_per_s(11.6)), "11.6GiB/s");
    EXPECT_EQ(to_text(sim_time{1'800'000}), "1.8us");
}

TEST(units, time_of_an_amount) {
    EXPECT_EQ(bandwidth::from_gb_per_s(1).time_of(bytes{256}).ps, 256'000u);
    EXPECT_EQ(frequency{1e9}.time_of(cycles{140}).ps, 140'000u);
}

TEST(units, rounded_for_messages) {
    EXPECT_EQ(rounded_text(sim_time{999}), "999ps");
    EXPECT_EQ(rounded_text(sim_time{1234567}), "1.235us");
    EXPECT_EQ(rounded_text(sim_time::from_us(12'345'678)), "12.35s");
}

TEST(units, known_units_are_listed) { EXPECT_EQ(unit_names<sim_time>(), "ps, ns, us, ms, s"); }
