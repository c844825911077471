// SPDX-License-Identifier: Apache-2.0
// Where tables of one level stand, by the part of the virtual address that leads to them: a walk may begin there. The
// entry goes that was not used for longest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "memory/vm/table_entry.h"

namespace contraflow::memory {

class walk_cache {
public:
    // Of tables of that level: 1 is the last one.
    walk_cache(unsigned level, unsigned entries) : shift_(page_bits_4k + level * table_level_bits), entries_(entries) {}

    std::optional<std::uint64_t> find(std::uint32_t process, std::uint64_t address) {
        for (known& k : known_) {
            if (k.prefix != address >> shift_ || k.process != process) continue;
            k.used = ++uses_;
            return k.table;
        }
        return std::nullopt;
    }
    void fill(std::uint32_t process, std::uint64_t address, std::uint64_t table) {
        if (entries_ == 0 || find(process, address)) return;
        known* at = nullptr;
        if (known_.size() < entries_) {
            at = &known_.emplace_back();
        } else {
            at = &known_[0];
            for (known& k : known_)
                if (k.used < at->used) at = &k;
        }
        *at = {address >> shift_, table, ++uses_, process};
    }
    void forget(const translation_range& which) {
        std::erase_if(known_, [&](const known& k) {
            const std::uint64_t first = k.prefix << shift_;
            return which.meets(k.process, first, first + ((std::uint64_t{1} << shift_) - 1));
        });
    }

private:
    struct known {
        std::uint64_t prefix = 0, table = 0, used = 0;
        std::uint32_t process = 0;
    };
    const unsigned shift_, entries_;
    std::vector<known> known_;
    std::uint64_t uses_ = 0;
};

}  // namespace contraflow::memory
