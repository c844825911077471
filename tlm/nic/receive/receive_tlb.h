// SPDX-License-Identifier: Apache-2.0
// Translations of pages of one kind, fully associative; the oldest entry is replaced. A page belongs to a root table.
#pragma once

#include <cstdint>
#include <vector>

#include "nic/receive/receive_tables.h"

namespace contraflow::nic {

class receive_tlb {
public:
    explicit receive_tlb(unsigned entries) : entries_(entries) {}

    const page_entry* find(std::uint64_t root, std::uint64_t number) const {
        for (const entry& e : entries_)
            if (e.valid && e.number == number && e.root == root) return &e.page;
        return nullptr;
    }
    void insert(std::uint64_t root, std::uint64_t number, const page_entry& page) {
        entries_[next_] = {true, root, number, page};
        next_ = next_ + 1 == entries_.size() ? 0 : next_ + 1;
    }
    void invalidate(std::uint64_t root) {
        for (entry& e : entries_)
            if (e.root == root) e.valid = false;
    }
    void clear() {
        for (entry& e : entries_) e.valid = false;
        next_ = 0;
    }

private:
    struct entry {
        bool valid = false;
        std::uint64_t root = 0, number = 0;
        page_entry page;
    };
    std::vector<entry> entries_;
    std::size_t next_ = 0;
};

}  // namespace contraflow::nic
