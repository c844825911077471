// SPDX-License-Identifier: Apache-2.0
// An entry of the multi-level page table: eight bytes in simulated memory, little-endian, bits as in the x86-64
// architecture where it has them (Intel SDM volume 3, 4.5; contiguous entries as in the ARMv8-A architecture, D5.3).
//
//   0       present: the other bits are valid for a walk
//   1       a page may be written
//   4       a page is uncached; one in io_space is of type io and has the bit as well
//   7       a page of 2 MiB, in a table of the second level
//   9       one of 16 adjacent entries that form a page of 64 KiB
//   10      mapped but not present: a page to which no access is allowed at the moment
//   12..51  physical address of the next table or of the page, in units of 4 KiB
#pragma once

#include "memory/vm/translation.h"

namespace contraflow::memory {

struct table_entry {
    std::uint64_t bits = 0;

    static constexpr std::uint64_t present_bit = 1, write_bit = 1u << 1, uncached_bit = 1u << 4, large_bit = 1u << 7,
                                   contiguous_bit = 1u << 9, closed_bit = 1u << 10;
    static constexpr std::uint64_t address_mask = ((std::uint64_t{1} << 52) - 1) & ~std::uint64_t{0xfff};

    static table_entry next_table(std::uint64_t address) { return {address | present_bit | write_bit}; }
    // The entry for the part of a page that begins at that physical address.
    static table_entry page(std::uint64_t address, unsigned page_bits, access_rights rights,
                            memory_type type = memory_type::cached) {
        std::uint64_t bits = address | (rights == access_rights::none ? closed_bit : present_bit);
        if (rights == access_rights::read_write) bits |= write_bit;
        if (type != memory_type::cached) bits |= uncached_bit;
        if (page_bits == page_bits_64k) bits |= contiguous_bit;
        if (page_bits == page_bits_2m) bits |= large_bit;
        return {bits};
    }
    bool present() const { return (bits & present_bit) != 0; }
    bool in_use() const { return (bits & (present_bit | closed_bit)) != 0; }
    bool large() const { return (bits & large_bit) != 0; }
    std::uint64_t address() const { return bits & address_mask; }
    access_rights rights() const {
        if (!present()) return access_rights::none;
        return (bits & write_bit) != 0 ? access_rights::read_write : access_rights::read;
    }
    memory_type type() const {
        if ((bits & uncached_bit) == 0) return memory_type::cached;
        return address() >= io_space ? memory_type::io : memory_type::uncached;
    }
    // An entry in use in a table of that level (1: the last one, 2: the one before) that stands for a page.
    page_translation translation(std::uint64_t virtual_address, unsigned level, std::uint64_t epoch) const {
        const unsigned size = level == 2 ? page_bits_2m : (bits & contiguous_bit) != 0 ? page_bits_64k : page_bits_4k;
        const std::uint64_t offset = (std::uint64_t{1} << size) - 1;
        return {
            virtual_address & ~offset, address() & ~offset, epoch, static_cast<std::uint8_t>(size), rights(), type()};
    }
};

inline constexpr unsigned table_levels = 4, table_level_bits = 9;
inline constexpr std::uint64_t table_bytes = 4096, table_entry_bytes = 8;

// Address of the entry for a virtual address in a table of that level.
inline constexpr std::uint64_t entry_address(std::uint64_t table, std::uint64_t virtual_address, unsigned level) {
    const unsigned shift = page_bits_4k + (level - 1) * table_level_bits;
    return table + (virtual_address >> shift & ((1u << table_level_bits) - 1)) * table_entry_bytes;
}
// Whether an entry of that level is for a page and not for the next table.
inline constexpr bool is_leaf(table_entry e, unsigned level) { return level == 1 || (level == 2 && e.large()); }

}  // namespace contraflow::memory
