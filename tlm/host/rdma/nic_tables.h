// SPDX-License-Identifier: Apache-2.0
// The page tables in a NIC's memory, as its driver builds them and writes them through the NIC's registers.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "host/rdma/register_writer.h"
#include "nic/receive/receive_tables.h"

namespace contraflow::host {

class nic_tables {
public:
    // Returns the root of a new table.
    std::uint64_t new_root();
    // Pages from that address on, for a table that may have others.
    void add(nic::memory_space space, std::uint64_t root, std::uint64_t base, const std::vector<std::uint64_t>& pages,
             std::uint16_t token = 0);
    // Removes all tables below those entries of the root.
    void clear(nic::memory_space space, std::uint64_t root, std::uint64_t base, std::uint64_t pages);
    // Writes what has changed. `window`: the bus address of the NIC's nic::table_window.
    void write(register_writer& to, std::uint64_t window);

private:
    static constexpr std::uint64_t table_bytes = 0x10000;  // more than any table has
    void set(std::uint64_t at, std::uint64_t value) { entries_[at] = changed_[at] = value; }
    std::uint64_t table_below(std::uint64_t at);

    std::uint64_t next_ = 0x10000;  // in the NIC's memory
    std::map<std::uint64_t, std::uint64_t> entries_,
        changed_;  // in that memory, and those that are still to be written
};

}  // namespace contraflow::host
