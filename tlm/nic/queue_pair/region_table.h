// SPDX-License-Identifier: Apache-2.0
// Registered memory: ranges of virtual addresses, their access rights, and the root of their page table
// (receive_tables.h: pages of 4 KiB, or of 64 KiB), which gives bus addresses, of memory or of registers of any
// function. A key is the region's index and a byte of the driver's choice, so that the key of a region that is gone is
// wrong; the owner's key and the key for others are different.
//
//   words of 4 bytes   0, 1 base    2, 3 length in bytes    4, 5 root    6  bits 3:0 rights, 4 pages of 64 KiB, 8 valid
//                      7  7:0 byte of the owner's key, 15:8 of the key for others
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "nic/receive/table_memory.h"

namespace contraflow::nic {

// A region may always be read by its owner.
struct access_rights {
    bool local_write = false, remote_read = false, remote_write = false, remote_atomic = false;
};

enum class access : std::uint8_t { local_read, local_write, remote_read, remote_write, remote_atomic };
constexpr bool is_local(access a) { return a == access::local_read || a == access::local_write; }

struct registered_region {
    static constexpr unsigned words = 8;
    using record = std::array<std::uint32_t, words>;

    bool valid = false;
    access_rights rights;
    memory_space pages = memory_space::host;  // the pages' size: those of the host or of a GPU
    std::uint64_t base = 0, length = 0, root = 0;
    std::uint8_t local_byte = 0, remote_byte = 0;

    record encode() const;
    static registered_region decode(const record& r);
    static std::uint32_t key(std::uint32_t index, std::uint8_t byte) { return index << 8 | byte; }
    bool allows(access a) const;
    // Bytes from there to the end of its page.
    std::uint64_t left_in_page(std::uint64_t address) const {
        const std::uint64_t page = 1ull << page_bits(pages);
        return page - address % page;
    }
};

class region_table {
public:
    region_table(std::uint32_t regions, const table_memory& tables) : all_(regions), tables_(tables) {}

    // False: there is no such index.
    bool set(std::uint32_t index, const registered_region& r);
    const registered_region* at(std::uint32_t index) const { return index < all_.size() ? &all_[index] : nullptr; }
    // The region of that key, if all those bytes are in it, are on pages that exist, and may be used like this. No
    // bytes need no region, and get one that is not valid.
    std::optional<registered_region> find(std::uint32_t key, std::uint64_t address, std::uint64_t length,
                                          access how) const;
    // The page of an address; none: the page table has no entry.
    std::optional<page_entry> page_of(const registered_region& r, std::uint64_t address) const;
    void reset() { all_.assign(all_.size(), {}); }

private:
    std::vector<registered_region> all_;
    const table_memory& tables_;
};

}  // namespace contraflow::nic
