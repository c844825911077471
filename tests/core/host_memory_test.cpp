// SPDX-License-Identifier: Apache-2.0
#include "core/host_memory.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "bench/resident.h"

namespace contraflow::core {
namespace {

bool is_zero(const std::uint8_t* begin, std::size_t n) {
    return std::all_of(begin, begin + n, [](std::uint8_t b) { return b == 0; });
}

TEST(host_memory, is_zero_and_no_part_touches_another) {
    std::vector<host_memory> parts;
    std::vector<std::uint8_t*> at;
    const std::size_t sizes[] = {1, 100, 65'536, 3u << 20, 64, 2u << 20, 700'000, 1'500'000, 5};
    for (const std::size_t n : sizes) {
        parts.emplace_back(n);
        at.push_back(parts.back().take<std::uint8_t>(n));
        EXPECT_TRUE(is_zero(at.back(), n)) << n;
        std::fill_n(at.back(), n, static_cast<std::uint8_t>(parts.size()));
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
        EXPECT_EQ(std::count(at[i], at[i] + sizes[i], i + 1), static_cast<std::ptrdiff_t>(sizes[i])) << i;
}

TEST(host_memory, is_zero_again_after_another_has_used_it) {
    for (int i = 0; i < 3; ++i) {
        host_memory part(1000);
        auto* const at = part.take<std::uint8_t>(1000);
        EXPECT_TRUE(is_zero(at, 1000)) << i;
        std::fill_n(at, 1000, std::uint8_t{255});
    }
}

TEST(host_memory, parts_of_one_take_their_place_from_a_line_of_the_host_on) {
    const std::size_t size = host_memory::size_of<std::uint8_t>(3) + host_memory::size_of<std::uint64_t>(9);
    EXPECT_EQ(size, 64u + 128u);
    host_memory part(size);
    auto* const bytes = part.take<std::uint8_t>(3);
    auto* const words = part.take<std::uint64_t>(9);
    EXPECT_EQ(reinterpret_cast<std::uint8_t*>(words) - bytes, 64);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % 64, 0u);
    EXPECT_EQ(part.left(), 0u);
}

TEST(host_memory, moves_with_its_bytes) {
    host_memory part(64);
    auto* const at = part.take<std::uint8_t>(32);
    *at = 7;
    host_memory other = std::move(part), third;
    third = std::move(other);
    EXPECT_EQ(*at, 7);
    EXPECT_EQ(third.left(), 0u);
}

TEST(host_memory, small_pages_take_room_where_they_are_touched) {
    constexpr std::size_t n = std::size_t{64} << 20;
    const double before = resident_megabytes();
    host_memory part(n, host_pages::touched);
    auto* const bytes = part.take<std::uint8_t>(n);
    for (std::size_t i = 0; i < n; i += 1u << 20) bytes[i] = 1;  // one page of 256
    EXPECT_LT(resident_megabytes(), before + 4);
    std::fill_n(bytes, n, std::uint8_t{2});
    EXPECT_GT(resident_megabytes(), before + 60);
}

// The last part gives back what the host lent, also where others were made and ended between.
TEST(host_memory, goes_back_to_the_host) {
    constexpr std::size_t n = std::size_t{64} << 20;
    const double before = resident_megabytes();
    {
        std::vector<std::optional<host_memory>> small;
        for (int i = 0; i < 640; ++i) {
            small.emplace_back(n / 640);
            std::fill_n(small.back()->take<std::uint8_t>(n / 640), n / 640, std::uint8_t{1});
        }
        host_memory large(n);
        std::fill_n(large.take<std::uint8_t>(n), n, std::uint8_t{1});
        EXPECT_GT(resident_megabytes(), before + 120);
        for (int i = 0; i < 640; i += 2) small[static_cast<std::size_t>(i)].reset();
    }
    EXPECT_LT(resident_megabytes(), before + 24);  // an eighth of it, that sanitizers keep about it, may stay
}

}  // namespace
}  // namespace contraflow::core
