// SPDX-License-Identifier: Apache-2.0
// Places of data: interleaving, sockets, pages.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "memory/crossbar/address_map.h"
#include "memory/dram/interleave.h"
#include "memory/vm/page_table.h"
#include "observe/statistics.h"

using namespace contraflow;
using namespace contraflow::memory;

namespace {

TEST(interleave, part_and_place_within_it_name_every_byte_once) {
    for (const bool hashed : {false, true}) {
        for (const unsigned parts : {1u, 2u, 3u, 8u, 12u, 16u}) {
            if (hashed && (parts & (parts - 1)) != 0) continue;
            const interleave i(parts, 256, hashed);
            std::set<std::pair<unsigned, std::uint64_t>> seen;
            std::map<unsigned, unsigned> count;
            for (std::uint64_t a = 0; a < 256u * parts * 32; a += 64) {
                EXPECT_LT(i.part_of(a), parts);
                EXPECT_LT(i.within(a), 256u * 32);
                EXPECT_TRUE(seen.insert({i.part_of(a), i.within(a)}).second) << a;
                ++count[i.part_of(a)];
            }
            for (const auto& [part, n] : count) EXPECT_EQ(n, 4u * 32) << part;
        }
    }
}

TEST(interleave, a_stride_of_a_power_of_two_uses_all_parts_only_if_hashed) {
    for (const unsigned shift : {12u, 16u, 20u}) {
        std::set<unsigned> plain;
        std::set<unsigned> hashed;
        for (std::uint64_t n = 0; n < 64; ++n) {
            plain.insert(interleave(16, 256).part_of(n << shift));
            hashed.insert(interleave(16, 256, true).part_of(n << shift));
        }
        EXPECT_EQ(plain.size(), 1u);
        EXPECT_EQ(hashed.size(), 16u);
    }
}

TEST(interleave, what_cannot_be_divided_is_refused) {
    EXPECT_THROW(interleave(0), std::invalid_argument);
    EXPECT_THROW(interleave(4, 100), std::invalid_argument);
    EXPECT_THROW(interleave(3, 256, true), std::invalid_argument);
    EXPECT_EQ(interleave(4, 256).span(0x110), 0xf0u);
}

TEST(address_map, the_socket_stands_in_the_high_bits) {
    const address_map map(3, {std::uint64_t{6} << 30});
    EXPECT_EQ(map.base(2), std::uint64_t{2} << 33);
    EXPECT_EQ(map.socket_of(map.base(2) + 5), 2u);
    EXPECT_EQ(map.offset_of(map.base(2) + 5), 5u);
    EXPECT_TRUE(map.contains(map.base(1) + (std::uint64_t{6} << 30) - 1));
    EXPECT_FALSE(map.contains(map.base(1) + (std::uint64_t{6} << 30)));
    EXPECT_FALSE(map.contains(map.base(2) + (std::uint64_t{1} << 33)));
    EXPECT_THROW(address_map(0, {4096}), std::invalid_argument);
}

struct listener final : page_listener_if {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> placed;
    void page_placed(std::uint64_t from, std::uint64_t to, std::uint64_t size) override {
        EXPECT_EQ(size, 4096u);
        placed.emplace_back(from, to);
    }
};

page_table::spec small(placement p) { return {core::bytes{4096}, p}; }

TEST(page_table, the_first_to_touch_a_page_gets_it) {
    observe::statistics statistics;
    const address_map map(4, {1u << 20});
    page_table pages(statistics, "pages", small(placement::first_touch), map);
    listener l;
    pages.set_listener(&l);
    const std::uint64_t array = pages.allocate({10'000});
    EXPECT_EQ(pages.find(array), std::nullopt);
    EXPECT_EQ(map.socket_of(pages.translate(array + 5000, 2)), 2u);
    EXPECT_EQ(map.socket_of(pages.translate(array + 4096, 1)), 2u);
    EXPECT_EQ(map.socket_of(pages.translate(array, 3)), 3u);
    EXPECT_EQ(pages.translate(array + 7, 0), map.base(3) + 7);
    EXPECT_EQ(pages.find(array + 7), map.base(3) + 7);
    EXPECT_EQ(l.placed, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{array + 4096, map.base(2)},
                                                                              {array, map.base(3)}}));
}

TEST(page_table, interleaved_pages_go_to_each_socket_in_turn) {
    observe::statistics statistics;
    const address_map map(4, {1u << 20});
    page_table pages(statistics, "pages", small(placement::interleaved), map);
    const std::uint64_t array = pages.allocate({9 * 4096});
    for (unsigned i = 0; i < 9; ++i)
        EXPECT_EQ(pages.translate(array + 4096 * i, 1), map.base(i % 4) + 4096 * (i / 4)) << i;
}

TEST(page_table, ranges_share_no_page_and_strangers_are_refused) {
    observe::statistics statistics;
    page_table pages(statistics, "pages", small(placement::first_touch), address_map(2, {1u << 20}));
    const std::uint64_t a = pages.allocate({1});
    const std::uint64_t b = pages.allocate({4097});
    EXPECT_EQ(a % 4096, 0u);
    EXPECT_EQ(b, a + 4096);
    EXPECT_THROW(pages.translate(b + 8192, 0), std::out_of_range);
    EXPECT_THROW(pages.translate(0, 0), std::out_of_range);
    EXPECT_THROW(pages.translate(a - 1, 0), std::out_of_range);
}

TEST(page_table, a_page_has_the_type_of_its_range) {
    observe::statistics statistics;
    const address_map map(2, {1u << 20});
    page_table pages(statistics, "pages", small(placement::first_touch), map);
    const std::uint64_t a = pages.allocate({4096}), b = pages.allocate({2 * 4096}, memory_type::uncached),
                        c = pages.allocate({4096});
    const auto at = [&](std::uint64_t address) { return pages.locate(address, 1); };
    for (int twice = 0; twice < 2; ++twice) {  // placed, and found
        EXPECT_EQ(at(b + 4096 + 8).type, memory_type::uncached);
        EXPECT_EQ(at(b + 4096 + 8).physical, map.base(1) + 8);
        EXPECT_EQ(at(a).type, memory_type::cached);
        EXPECT_EQ(at(a).physical, map.base(1) + 4096);
        EXPECT_EQ(at(b).type, memory_type::uncached);
        EXPECT_EQ(at(c + 4095).type, memory_type::cached);
        EXPECT_EQ(at(c + 4095).physical, map.base(1) + 4 * 4096 - 1);
    }
    EXPECT_EQ(pages.find(b + 4096 + 8), map.base(1) + 8);
    EXPECT_EQ(pages.translate(b + 5, 0), map.base(1) + 2 * 4096 + 5);
    pages.reset();
    EXPECT_EQ(pages.allocate({4096}), a);
    EXPECT_EQ(pages.allocate({4096}), b);
    EXPECT_EQ(at(b).type, memory_type::cached);
}

TEST(page_table, bus_addresses_are_mapped_byte_by_byte_and_take_no_memory) {
    observe::statistics statistics;
    page_table pages(statistics, "pages", small(placement::first_touch), address_map(1, {4096}));
    const std::uint64_t doorbell = pages.map_io(0x12345678, {16}), window = pages.map_io(0x80000000, {3 * 4096});
    EXPECT_EQ(doorbell % 4096, 0x678u);
    EXPECT_EQ(pages.locate(doorbell + 15, 0).physical, io_space + 0x12345678 + 15);
    EXPECT_EQ(pages.locate(doorbell, 0).type, memory_type::io);
    EXPECT_EQ(pages.locate(window + 3 * 4096 - 1, 0).physical, io_space + 0x80000000 + 3 * 4096 - 1);
    EXPECT_THROW(pages.locate(doorbell + 16, 0), std::out_of_range);
    EXPECT_THROW(pages.locate(doorbell - 1, 0), std::out_of_range);
    EXPECT_THROW(pages.locate(window + 3 * 4096, 0), std::out_of_range);
    EXPECT_FALSE(pages.allocated(doorbell));
    EXPECT_NO_THROW(pages.check_room());
    EXPECT_THROW(pages.map_io(io_space, {1}), std::invalid_argument);
    EXPECT_THROW(pages.map_io(io_space - 8, {9}), std::invalid_argument);
    EXPECT_THROW(pages.map_io(8, {0}), std::invalid_argument);
    EXPECT_THROW(pages.allocate({8}, memory_type::io), std::invalid_argument);
}

TEST(page_table, a_full_socket_spills_and_a_full_machine_says_so) {
    observe::statistics statistics;
    const address_map map(2, {2 * 4096});
    page_table pages(statistics, "pages", small(placement::first_touch), map);
    const std::uint64_t array = pages.allocate({5 * 4096});
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(map.socket_of(pages.translate(array + 4096 * i, 0)), i < 2 ? 0u : 1u);
    try {
        pages.translate(array + 4 * 4096, 0);
        FAIL() << "there is no fifth page";
    } catch (const memory_full& e) {
        EXPECT_EQ(e.allocated(), core::bytes{5 * 4096});
        EXPECT_EQ(e.socket_has(), core::bytes{2 * 4096});
        EXPECT_EQ(e.socket_needs(), core::bytes{3 * 4096});
    }
    EXPECT_THROW(pages.check_room(), memory_full);
    const std::uint64_t absurd = pages.allocate({std::uint64_t{1} << 60});  // allocates no host memory
    EXPECT_TRUE(pages.allocated(absurd + (std::uint64_t{1} << 59)));
    EXPECT_THROW(pages.translate(absurd, 0), memory_full);
    EXPECT_FALSE(pages.find(absurd));
    double spilled = 0;
    for (const auto& r : statistics.rows({}))
        if (r.path == "pages.spilled") spilled = r.value;
    EXPECT_EQ(spilled, 2);
    pages.reset();
    EXPECT_EQ(pages.allocate({4 * 4096}), array);
    EXPECT_NO_THROW(pages.check_room());
}

}  // namespace
