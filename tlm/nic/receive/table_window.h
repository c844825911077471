// SPDX-License-Identifier: Apache-2.0
// Registers through which a driver writes entries of page tables into the NIC's memory.
//
//   register, 4 bytes   0, 4 address of an entry, a multiple of 8   8 to 87 that entry and the following ones
#pragma once

#include <cstdint>

#include "nic/receive/table_memory.h"

namespace contraflow::nic {

class table_window {
public:
    static constexpr std::uint32_t words = 32;  // words of 4 bytes that can be written at a time
    explicit table_window(table_memory& tables) : tables_(tables) {}

    // False: there is no such register, or the address is none of an entry.
    bool write(std::uint64_t offset, std::uint32_t value) {
        if (offset == 0) {
            address_ = (address_ & ~0xffff'ffffull) | value;
            return address_ % 8 == 0;
        }
        if (offset == 4) {
            address_ = (address_ & 0xffff'ffffull) | std::uint64_t{value} << 32;
            return true;
        }
        if (offset >= 8 + 4 * std::uint64_t{words}) return false;
        const std::uint64_t at = address_ + ((offset - 8) & ~7ull);  // half of that entry
        const std::uint64_t entry = tables_.entry(at);
        tables_.set_entry(at, offset % 8 == 0 ? (entry & ~0xffff'ffffull) | value
                                              : (entry & 0xffff'ffffull) | std::uint64_t{value} << 32);
        return true;
    }
    void reset() { address_ = 0; }

private:
    table_memory& tables_;
    std::uint64_t address_ = 0;
};

}  // namespace contraflow::nic
