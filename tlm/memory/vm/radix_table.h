// SPDX-License-Identifier: Apache-2.0
// The page tables of all processes: four levels of 512 entries in simulated physical memory, where walkers read them. A
// 64 KiB page is 16 adjacent entries, a 2 MiB page one entry of the second level; pages of the three sizes mix as long
// as they do not overlap. Changes take no simulated time here; the caller models their cost. An empty table gives its
// frame back, and given_back() grows: walks in progress then begin again, and walk caches are invalidated.
//
// The epoch grows with every change after which an older translation is wrong: a translation read in an earlier epoch
// must not be used once the change's shootdown has been acknowledged.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/units.h"
#include "memory/dram/physical_memory_if.h"
#include "memory/vm/table_entry.h"

namespace contraflow::memory {

// There is no frame for another table; nothing has changed.
class table_full : public std::runtime_error {
public:
    table_full(core::bytes has, std::uint64_t address);
    core::bytes has() const { return has_; }

private:
    core::bytes has_;
};

class radix_table {
public:
    // The tables' frames lie in physical memory from `base` on; both are multiples of 4 KiB.
    radix_table(physical_memory_if& memory, std::uint64_t base, core::bytes room);

    // A process has a table from its first page on. A std::invalid_argument names an error: a page that is not aligned,
    // overlaps another or is out of range, or a process number that is too large.
    void map(std::uint32_t process, const page_translation& page);
    // Returns the old mapping. An address without a mapping is a std::out_of_range, in the next two as well.
    page_translation unmap(std::uint32_t process, std::uint64_t address);
    // Gives the page a new place and returns the old translation.
    page_translation remap(std::uint32_t process, std::uint64_t address, std::uint64_t physical_page);
    page_translation protect(std::uint32_t process, std::uint64_t address, access_rights rights);
    // The translation that a walk would find; also finds a closed page (rights: none).
    std::optional<page_translation> find(std::uint32_t process, std::uint64_t address) const;

    // Physical address of the first table; none for a process without pages.
    std::optional<std::uint64_t> root(std::uint32_t process) const;
    std::uint64_t epoch() const { return epoch_; }
    std::uint64_t given_back() const { return given_back_; }  // tables so far
    std::uint64_t tables_in_use() const { return tables_ - free_.size(); }
    core::bytes room() const { return {capacity_ * table_bytes}; }
    // Drops all processes; the epoch continues.
    void reset();

private:
    struct place {
        std::uint64_t table = 0;
        unsigned level = 0;
        table_entry entry;
    };
    void check(std::uint32_t process, const page_translation& page) const;
    // The last existing table on the way to that address, down to `level`, and its entry.
    std::optional<place> walk(std::uint32_t process, std::uint64_t address, unsigned level) const;
    place leaf(std::uint32_t process, std::uint64_t address) const;
    page_translation change(std::uint32_t process, const place& at, const page_translation& to);
    void write_page(const place& at, const page_translation& page);
    std::uint64_t take_table();
    void prune(std::uint32_t process, std::uint64_t address, unsigned entries);
    table_entry read(std::uint64_t address) const;
    void write(std::uint64_t address, table_entry e);
    std::uint16_t& used(std::uint64_t table) { return used_[(table - base_) / table_bytes]; }

    physical_memory_if& memory_;
    const std::uint64_t base_, capacity_;
    std::map<std::uint32_t, std::uint64_t> roots_;
    std::uint64_t tables_ = 0;         // taken so far
    std::vector<std::uint64_t> free_;  // free ones among them
    std::vector<std::uint16_t> used_;  // entries, by table
    std::uint64_t epoch_ = 1;
    std::uint64_t given_back_ = 0;
};

}  // namespace contraflow::memory
