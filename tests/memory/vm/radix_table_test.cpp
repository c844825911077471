// SPDX-License-Identifier: Apache-2.0
// The page table of several levels: its contents in memory, the mappings it refuses, and its agreement with a plain map
// under random use.
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "memory/dram/backing_store.h"
#include "memory/vm/radix_mapper.h"

using namespace contraflow;
using namespace contraflow::memory;

namespace radix_table_test {

constexpr std::uint64_t base = 0x40'0000, page = 4096;

struct plain_bytes final : physical_memory_if {
    backing_store bytes{0, core::bytes{64u << 20}};
    void debug_write(std::uint64_t at, std::span<const std::byte> from) override {
        bytes.write(at, reinterpret_cast<const std::uint8_t*>(from.data()), from.size());
    }
    void debug_read(std::uint64_t at, std::span<std::byte> to) const override {
        bytes.read(at, reinterpret_cast<std::uint8_t*>(to.data()), to.size());
    }
    std::uint64_t word(std::uint64_t at) const {
        std::uint64_t w = 0;
        bytes.read(at, reinterpret_cast<std::uint8_t*>(&w), sizeof w);
        return w;
    }
};

struct tables {
    explicit tables(std::uint64_t frames = 1024) : table(memory, base, {frames * page}) {}
    plain_bytes memory;
    radix_table table;
};

page_translation made(std::uint64_t from, std::uint64_t to, unsigned bits = page_bits_4k,
                      access_rights rights = access_rights::read_write) {
    return {from, to, 0, static_cast<std::uint8_t>(bits), rights};
}

TEST(radix_table, a_mapped_page_is_four_entries_in_memory) {
    tables t;
    const std::uint64_t address = (3ull << 39) | (5ull << 30) | (7ull << 21) | (9ull << 12);
    t.table.map(4, made(address, 0x123'4000));
    EXPECT_EQ(t.table.tables_in_use(), 4u);
    std::uint64_t at = *t.table.root(4);
    EXPECT_EQ(at, base);
    for (const std::uint64_t index : {3, 5, 7}) {
        const std::uint64_t entry = t.memory.word(at + index * 8);
        EXPECT_EQ(entry & 0xfff, 3u);  // present, may be written
        at = entry & ~0xfffull;
    }
    EXPECT_EQ(t.memory.word(at + 9 * 8), 0x123'4003u);
    EXPECT_EQ(t.table.find(4, address + 5)->physical(address + 5), 0x123'4005u);
    EXPECT_EQ(t.table.find(4, address + 5)->bits, page_bits_4k);
    EXPECT_FALSE(t.table.find(4, address + page));
    EXPECT_FALSE(t.table.find(5, address));
    EXPECT_FALSE(t.table.find(4, address | 1ull << 50));
}

TEST(radix_table, a_page_of_64_kib_is_16_entries_and_one_of_2_mib_is_one_of_the_second_level) {
    tables t;
    t.table.map(0, made(0x1'0000, 0x50'0000, page_bits_64k, access_rights::read));
    t.table.map(0, made(0x20'0000, 0x60'0000, page_bits_2m));
    EXPECT_EQ(t.table.tables_in_use(), 4u);
    for (const std::uint64_t offset : {0x0ull, 0x5123ull, 0xffffull}) {
        const auto found = t.table.find(0, 0x1'0000 + offset);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->virtual_page, 0x1'0000u);
        EXPECT_EQ(found->physical(0x1'0000 + offset), 0x50'0000 + offset);
        EXPECT_EQ(found->rights, access_rights::read);
    }
    const auto large = t.table.find(0, 0x3f'ffff);
    ASSERT_TRUE(large);
    EXPECT_EQ(large->bits, page_bits_2m);
    EXPECT_EQ(large->physical(0x3f'ffff), 0x7f'ffffu);
    EXPECT_FALSE(t.table.find(0, 0x40'0000));
    EXPECT_FALSE(t.table.find(0, 0xffff));
    t.table.unmap(0, 0x1'8000);
    EXPECT_FALSE(t.table.find(0, 0x1'0000));
    EXPECT_FALSE(t.table.find(0, 0x1'f000));
}

TEST(radix_table, moving_protecting_and_unmapping_say_what_was_there_and_begin_an_epoch) {
    tables t;
    t.table.map(0, made(0, 0x50'0000, page_bits_64k));
    const auto first = t.table.epoch();
    EXPECT_EQ(t.table.find(0, 0)->epoch, first);
    EXPECT_EQ(t.table.remap(0, 0x4000, 0x70'0000).physical_page, 0x50'0000u);
    EXPECT_EQ(t.table.find(0, 0xf00f)->physical(0xf00f), 0x70'f00fu);
    EXPECT_EQ(t.table.epoch(), first + 1);
    EXPECT_EQ(t.table.protect(0, 0, access_rights::none).rights, access_rights::read_write);
    const auto closed = t.table.find(0, 0x3000);
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->rights, access_rights::none);
    EXPECT_EQ(closed->physical_page, 0x70'0000u);
    t.table.protect(0, 0, access_rights::read);
    EXPECT_TRUE(t.table.find(0, 0)->permits(false));
    EXPECT_FALSE(t.table.find(0, 0)->permits(true));
    EXPECT_EQ(t.table.unmap(0, 0xffff).physical_page, 0x70'0000u);
    EXPECT_EQ(t.table.epoch(), first + 4);
    EXPECT_EQ(t.table.tables_in_use(), 0u);
    EXPECT_FALSE(t.table.root(0));
}

TEST(radix_table, an_entry_keeps_the_type_of_its_page) {
    for (const auto& [physical, type] : {std::pair{std::uint64_t{1} << 21, memory_type::cached},
                                         {std::uint64_t{1} << 21, memory_type::uncached},
                                         {io_space | std::uint64_t{1} << 21, memory_type::io}})
        for (const unsigned bits : page_sizes)
            for (const access_rights rights : {access_rights::none, access_rights::read, access_rights::read_write}) {
                const table_entry e = table_entry::page(physical, bits, rights, type);
                const page_translation p = e.translation(std::uint64_t{7} << 21, bits == page_bits_2m ? 2 : 1, 0);
                EXPECT_EQ(p.type, type);
                EXPECT_EQ(p.rights, rights);
                EXPECT_EQ(p.bits, bits);
                EXPECT_EQ(p.physical_page, physical);
            }
}

TEST(radix_table, what_is_against_the_rules_is_refused_and_changes_nothing) {
    tables t;
    t.table.map(0, made(0x20'0000, 0, page_bits_2m));
    t.table.map(0, made(0x40'3000, 0x1000));
    const auto tables_before = t.table.tables_in_use();
    const auto refused = [&](std::uint32_t process, const page_translation& p) {
        EXPECT_THROW(t.table.map(process, p), std::invalid_argument) << p.virtual_page;
    };
    refused(0, made(0x20'0000, 0, page_bits_2m));
    refused(0, made(0x20'5000, 0));                 // within the large page
    refused(0, made(0x21'0000, 0, page_bits_64k));  // the same
    refused(0, made(0x40'0000, 0, page_bits_2m));   // around the small one
    refused(0, made(0x40'0000, 0, page_bits_64k));  // the same
    refused(0, made(0x40'3000, 0));
    refused(0, made(0x50'0800, 0));
    refused(0, made(0x50'1000, 0, page_bits_64k));
    refused(0, made(0x50'0000, 0x1000, page_bits_64k));
    refused(0, made(0x50'0000, 0, 13));
    refused(0, made(1ull << 48, 0));
    refused(0, made(0, 1ull << 52));
    refused(1u << 20, made(0, 0));
    EXPECT_THROW(t.table.unmap(0, 0), std::out_of_range);
    EXPECT_THROW(t.table.remap(1, 0x20'0000, 0), std::out_of_range);
    EXPECT_THROW(t.table.protect(0, 1ull << 50, access_rights::read), std::out_of_range);
    EXPECT_THROW(t.table.remap(0, 0x20'0000, 0x1000), std::invalid_argument);
    EXPECT_EQ(t.table.find(0, 0x20'0000)->physical_page, 0u);
    EXPECT_EQ(t.table.tables_in_use(), tables_before);
}

TEST(radix_table, a_full_table_says_so_changes_nothing_and_has_room_again_later) {
    tables t(4);
    t.table.map(0, made(0, 0x1000));
    t.table.map(0, made(page, 0x2000));
    try {
        t.table.map(0, made(1ull << 40, 0x3000));
        ADD_FAILURE() << "there was no room";
    } catch (const table_full& e) {
        EXPECT_EQ(std::string(e.what()),
                  "the page table is full: no room for the tables of 0x10000000000 in its 16KiB");
        EXPECT_EQ(e.has(), core::bytes{4 * page});
    }
    EXPECT_EQ(t.table.tables_in_use(), 4u);
    EXPECT_FALSE(t.table.find(0, 1ull << 40));
    EXPECT_THROW(t.table.map(1, made(0, 0x3000)), table_full);
    EXPECT_FALSE(t.table.root(1));
    t.table.unmap(0, 0);
    EXPECT_EQ(t.table.find(0, page)->physical_page, 0x2000u);
    t.table.unmap(0, page);
    t.table.map(1, made(1ull << 40, 0x3000));
    EXPECT_EQ(t.table.find(1, 1ull << 40)->physical_page, 0x3000u);
    EXPECT_FALSE(t.table.find(1, 0));  // reused frames are empty
}

TEST(radix_table, says_how_many_tables_were_given_back) {
    tables t;
    t.table.map(0, made(0, 0x5000));
    t.table.map(0, made(page, 0x6000));
    t.table.unmap(0, 0);
    EXPECT_EQ(t.table.given_back(), 0u);  // the last table still has a page
    t.table.unmap(0, page);
    EXPECT_EQ(t.table.given_back(), 4u);
    t.table.map(1, made(0, 0x5000));
    t.table.reset();
    EXPECT_EQ(t.table.given_back(), 8u);
}

TEST(radix_mapper, a_drivers_pages_stand_in_the_table) {
    for (const unsigned bits : {page_bits_4k, page_bits_64k, page_bits_2m}) {
        tables t;
        radix_mapper m(t.table, bits);
        const std::uint64_t size = m.page_size();
        EXPECT_EQ(size, std::uint64_t{1} << bits);
        m.map(3, 5 * size, 7 * size);
        const auto found = t.table.find(3, 5 * size + 9);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->physical(5 * size + 9), 7 * size + 9);
        EXPECT_EQ(found->bits, bits);
        EXPECT_TRUE(found->permits(true));
        m.remap(3, 5 * size, 8 * size);
        EXPECT_EQ(t.table.find(3, 5 * size)->physical_page, 8 * size);
        EXPECT_THROW(m.map(3, 5 * size, 0), std::logic_error);
        m.unmap(3, 5 * size);
        EXPECT_FALSE(t.table.find(3, 5 * size));
        EXPECT_THROW(m.unmap(3, 5 * size), std::logic_error);
        EXPECT_THROW(m.remap(3, 5 * size, 0), std::logic_error);
    }
    tables t;
    EXPECT_THROW(radix_mapper(t.table, 14), std::invalid_argument);
}

TEST(radix_table, agrees_with_a_plain_map_under_random_use) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        tables t;
        std::mt19937_64 draw(seed);
        struct region {
            std::map<std::uint64_t, page_translation> pages;
        };
        std::array<region, 3> processes;
        for (unsigned step = 0; step < 4000; ++step) {
            const auto process = static_cast<std::uint32_t>(draw() % processes.size());
            auto& pages = processes[process].pages;
            const unsigned bits = std::array{page_bits_4k, page_bits_64k, page_bits_2m}[draw() % 3];
            const std::uint64_t address = (draw() % 3 << 39 | draw() % (8u << 20)) >> bits << bits;
            const auto holder = [&](std::uint64_t a) {
                return std::find_if(pages.begin(), pages.end(), [&](const auto& p) { return p.second.covers(a); });
            };
            switch (draw() % 4) {
            case 0:
            case 1: {
                const page_translation p = made(address, (draw() % 1024) << page_bits_2m, bits);
                const bool overlaps = std::any_of(pages.begin(), pages.end(), [&](const auto& o) {
                    return o.second.covers(address) || p.covers(o.second.virtual_page);
                });
                if (overlaps) {
                    EXPECT_THROW(t.table.map(process, p), std::invalid_argument);
                } else {
                    t.table.map(process, p);
                    pages[address] = p;
                }
                break;
            }
            case 2:
                if (const auto at = holder(address); at != pages.end()) {
                    EXPECT_EQ(t.table.unmap(process, address).physical_page, at->second.physical_page);
                    pages.erase(at);
                }
                break;
            default:
                if (const auto at = holder(address); at != pages.end()) {
                    at->second.physical_page = (draw() % 1024) << page_bits_2m;
                    t.table.remap(process, address, at->second.physical_page);
                }
            }
            const auto at = holder(address);
            const auto found = t.table.find(process, address);
            ASSERT_EQ(found.has_value(), at != pages.end()) << step;
            if (found) { ASSERT_EQ(found->physical(address), at->second.physical(address)); }
        }
        for (std::uint32_t p = 0; p < processes.size(); ++p)
            for (const auto& [address, mapped] : processes[p].pages) {
                ASSERT_EQ(t.table.find(p, address)->physical_page, mapped.physical_page);
                t.table.unmap(p, address);
            }
        EXPECT_EQ(t.table.tables_in_use(), 0u);
    }
}

}  // namespace radix_table_test
