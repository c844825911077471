// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/nic_tables.h"

#include "nic/receive/table_window.h"

namespace contraflow::host {

std::uint64_t nic_tables::new_root() {
    const std::uint64_t root = next_;
    next_ += table_bytes;
    return root;
}

std::uint64_t nic_tables::table_below(std::uint64_t at) {
    if ((entries_[at] & nic::table_valid) == 0) set(at, new_root() | nic::table_valid);
    return nic::next_table(entries_[at]);
}

void nic_tables::add(nic::memory_space space, std::uint64_t root, std::uint64_t base,
                     const std::vector<std::uint64_t>& pages, std::uint16_t token) {
    const std::uint64_t first = base >> nic::page_bits(space);
    for (std::uint64_t i = 0; i < pages.size(); ++i) {
        std::uint64_t table = root;
        for (unsigned level = 0; level + 1 < nic::table_levels; ++level)
            table = table_below(nic::entry_address(space, table, first + i, level));
        set(nic::entry_address(space, table, first + i, nic::table_levels - 1),
            pages[i] | std::uint64_t{token} << 1 | nic::table_valid);
    }
}

void nic_tables::clear(nic::memory_space space, std::uint64_t root, std::uint64_t base, std::uint64_t pages) {
    const std::uint64_t first = base >> nic::page_bits(space);
    for (std::uint64_t i = 0; i < pages; ++i) set(nic::entry_address(space, root, first + i, 0), 0);
}

// Entries side by side go together, as many as the NIC's window of them has.
void nic_tables::write(register_writer& to, std::uint64_t window) {
    std::vector<std::uint32_t> words;
    std::uint64_t next = 0;
    const auto flush = [&] {
        if (words.size() > 2) to.write(window, words);
        words.clear();
    };
    for (const auto& [at, value] : changed_) {
        if (words.empty() || at != next || words.size() == 2 + nic::table_window::words) {
            flush();
            words = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32)};
        }
        words.push_back(static_cast<std::uint32_t>(value));
        words.push_back(static_cast<std::uint32_t>(value >> 32));
        next = at + 8;
    }
    flush();
    changed_.clear();
}

}  // namespace contraflow::host
