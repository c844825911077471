// SPDX-License-Identifier: Apache-2.0
// The memory of the NIC that holds its tables, as bytes, little-endian: BUF_LIST, of 32 bytes an entry, and page tables
// (receive_tables.h) at addresses of 64 bits. Bytes that were never written are 0. Accesses take no time here; the
// reader adds it.
//
//   word of 4 bytes   BUF_LIST
//   0                 bit 0 valid, bit 1 writable, 4:2 space (0 host, 1 to 4 a GPU), 15:8 ring, 31:16 process
//   1, 2              base          3, 4   length in bytes          5, 6   root          7   zero
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "nic/receive/receive_tables.h"

namespace contraflow::nic {

inline constexpr unsigned buffer_words = 8;  // words of 4 bytes
using buffer_record = std::array<std::uint32_t, buffer_words>;
buffer_record encode(const buffer_entry& b);
buffer_entry decode(const buffer_record& r);
// Whether its space exists and its ring is one of `rings` rings.
bool valid(const buffer_record& r, std::uint32_t rings);

class table_memory {
public:
    explicit table_memory(unsigned buffers) : list_(buffers * buffer_words) {}

    // An entry of a page table; the address is a multiple of 8.
    std::uint64_t entry(std::uint64_t address) const {
        const auto at = entries_.find(address);
        return at == entries_.end() ? 0 : at->second;
    }
    void set_entry(std::uint64_t address, std::uint64_t value) { entries_[address] = value; }

    // BUF_LIST, by word.
    const std::vector<std::uint32_t>& list() const { return list_; }
    std::vector<std::uint32_t>& list() { return list_; }

private:
    std::unordered_map<std::uint64_t, std::uint64_t> entries_;
    std::vector<std::uint32_t> list_;
};

}  // namespace contraflow::nic
