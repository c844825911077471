// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "core/counted.h"
#include "core/little_endian.h"
#include "core/random.h"

namespace {

using namespace contraflow::core;

TEST(little_endian, the_lowest_byte_comes_first_and_no_other_is_touched) {
    std::array<std::uint8_t, 10> bytes;
    bytes.fill(0xee);
    store_le<std::uint64_t>(&bytes[1], 0x0807'0605'0403'0201u);
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 10>{0xee, 1, 2, 3, 4, 5, 6, 7, 8, 0xee}));
    EXPECT_EQ(load_le<std::uint64_t>(&bytes[1]), 0x0807'0605'0403'0201u);
    EXPECT_EQ(load_le<std::uint32_t>(&bytes[2]), 0x0504'0302u);
    EXPECT_EQ(load_le<std::uint16_t>(&bytes[8]), 0xee08u);
    EXPECT_EQ(load_le<std::uint8_t>(&bytes[3]), 3u);
    store_le<std::uint16_t>(&bytes[4], 0xabcdu);
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 10>{0xee, 1, 2, 3, 0xcd, 0xab, 6, 7, 8, 0xee}));
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(byte_of(0x0403'0201u, i), i + 1);
}

TEST(little_endian, any_type_of_byte) {
    std::array<std::byte, 4> bytes{};
    store_le<std::uint32_t>(bytes.data(), 0x89ab'cdefu);
    EXPECT_EQ(bytes[0], std::byte{0xef});
    EXPECT_EQ(load_le<std::uint32_t>(bytes.data()), 0x89ab'cdefu);
    const std::array<char, 2> text{'\xff', '\x01'};
    EXPECT_EQ(load_le<std::uint16_t>(text.data()), 0x01ffu);
}

// The first numbers of SplitMix64 from seed 1234567, as its authors' program prints them.
TEST(counted, one_is_no_plural) {
    EXPECT_EQ(counted(1, "page"), "1 page");
    EXPECT_EQ(counted(0, "page"), "0 pages");
    EXPECT_EQ(counted(2, "vertex", "vertices"), "2 vertices");
    EXPECT_EQ(counted(1, "vertex", "vertices"), "1 vertex");
    EXPECT_EQ(times(1), "once");
    EXPECT_EQ(times(3), "3 times");
}

TEST(random_source, numbers_are_those_of_splitmix64) {
    random_source draw(1234567);
    for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                         4593380528125082431u, 16408922859458223821u})
        EXPECT_EQ(draw.next(), expected);
}

TEST(random_source, every_order_of_a_shuffle_is_as_probable) {
    random_source draw(1);
    std::map<std::array<int, 4>, unsigned> seen;
    constexpr unsigned times = 24'000;
    for (unsigned n = 0; n < times; ++n) {
        std::array<int, 4> all{1, 2, 3, 4};
        shuffle(all, draw);
        ++seen[all];
    }
    EXPECT_EQ(seen.size(), 24u);
    for (const auto& [order, count] : seen) EXPECT_NEAR(count, times / 24, 150);  // five standard deviations
    std::vector<int> none;
    shuffle(none, draw);
    EXPECT_TRUE(none.empty());
}

}  // namespace
