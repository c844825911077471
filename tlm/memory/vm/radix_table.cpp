// SPDX-License-Identifier: Apache-2.0
#include "memory/vm/radix_table.h"

#include <array>

#include <fmt/format.h>

#include "core/little_endian.h"

namespace contraflow::memory {
namespace {

unsigned level_of(unsigned bits) { return bits == page_bits_2m ? 2 : 1; }
unsigned entries_of(unsigned bits) { return bits == page_bits_64k ? 16 : 1; }

}  // namespace

table_full::table_full(core::bytes has, std::uint64_t address)
    : std::runtime_error(fmt::format("the page table is full: no room for the tables of {:#x} in its {}", address,
                                     core::to_text(has))),
      has_(has) {}

radix_table::radix_table(physical_memory_if& memory, std::uint64_t base, core::bytes room)
    : memory_(memory),
      base_(base),
      capacity_(room.count / table_bytes) {
    if (base % table_bytes != 0 || room.count % table_bytes != 0 || capacity_ == 0)
        throw std::invalid_argument("radix_table: base and room are multiples of 4 KiB, and the root table has room");
}

table_entry radix_table::read(std::uint64_t address) const {
    std::array<std::byte, table_entry_bytes> bytes{};
    memory_.debug_read(address, bytes);
    return {core::load_le<std::uint64_t>(bytes.data())};
}

void radix_table::write(std::uint64_t address, table_entry e) {
    std::array<std::byte, table_entry_bytes> bytes{};
    core::store_le<std::uint64_t>(bytes.data(), e.bits);
    memory_.debug_write(address, bytes);
}

std::uint64_t radix_table::take_table() {
    std::uint64_t table = base_ + tables_ * table_bytes;
    if (free_.empty()) {
        ++tables_;
        used_.push_back(0);
    } else {
        table = free_.back();
        free_.pop_back();
    }
    // The frame may hold old data of another use.
    const std::vector<std::byte> empty(table_bytes);
    memory_.debug_write(table, empty);
    return table;
}

void radix_table::check(std::uint32_t process, const page_translation& page) const {
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument(fmt::format("page of {} bytes at {:#x} of process {} to {:#x}: {}", page.size(),
                                                page.virtual_page, process, page.physical_page, why));
    };
    if (!is_page_bits(page.bits)) refuse("no page has that size");
    if (process >> process_bits != 0) refuse(fmt::format("processes have numbers of {} bits", process_bits));
    if ((page.virtual_page | page.physical_page) % page.size() != 0) refuse("both addresses are multiples of the size");
    if (page.virtual_page >> virtual_address_bits != 0)
        refuse(fmt::format("virtual addresses have {} bits", virtual_address_bits));
    if ((page.physical_page & ~table_entry::address_mask) != 0) refuse("physical addresses have 52 bits");
}

void radix_table::map(std::uint32_t process, const page_translation& page) {
    check(process, page);
    const unsigned level = level_of(page.bits);
    const auto at = walk(process, page.virtual_page, level);
    std::uint64_t missing = table_levels - level + 1;
    if (at) {
        const auto taken = [&](table_entry e) {
            if (e.in_use())
                throw std::invalid_argument(fmt::format("page of {} bytes at {:#x} of process {}: part of it is mapped",
                                                        page.size(), page.virtual_page, process));
        };
        missing = at->level - level;
        const std::uint64_t first = entry_address(at->table, page.virtual_page, at->level);
        for (unsigned i = 0; i < (missing > 0 ? 1 : entries_of(page.bits)); ++i)
            taken(read(first + i * table_entry_bytes));
    }
    if (free_.size() + (capacity_ - tables_) < missing) throw table_full(room(), page.virtual_page);

    place to = at.value_or(place{});
    if (!at) {
        to = {take_table(), table_levels, {}};
        roots_[process] = to.table;
    }
    while (to.level > level) {
        const std::uint64_t next = take_table();
        write(entry_address(to.table, page.virtual_page, to.level), table_entry::next_table(next));
        ++used(to.table);
        to = {next, to.level - 1, {}};
    }
    used(to.table) = static_cast<std::uint16_t>(used(to.table) + entries_of(page.bits));
    write_page(to, page);
}

void radix_table::write_page(const place& at, const page_translation& page) {
    const std::uint64_t first = entry_address(at.table, page.virtual_page, at.level);
    for (unsigned i = 0; i < entries_of(page.bits); ++i)
        write(first + i * table_entry_bytes, table_entry::page(page.physical_page + (std::uint64_t{i} << page_bits_4k),
                                                               page.bits, page.rights, page.type));
}

std::optional<radix_table::place> radix_table::walk(std::uint32_t process, std::uint64_t address,
                                                    unsigned level) const {
    const auto table = root(process);
    if (!table || address >> virtual_address_bits != 0) return std::nullopt;
    place at{*table, table_levels, {}};
    for (;;) {
        at.entry = read(entry_address(at.table, address, at.level));
        if (at.level == level || !at.entry.in_use() || is_leaf(at.entry, at.level)) return at;
        at = {at.entry.address(), at.level - 1, {}};
    }
}

radix_table::place radix_table::leaf(std::uint32_t process, std::uint64_t address) const {
    const auto at = walk(process, address, 1);
    if (!at || !at->entry.in_use())
        throw std::out_of_range(fmt::format("nothing is mapped at {:#x} of process {}", address, process));
    return *at;
}

std::optional<page_translation> radix_table::find(std::uint32_t process, std::uint64_t address) const {
    const auto at = walk(process, address, 1);
    if (!at || !at->entry.in_use()) return std::nullopt;
    return at->entry.translation(address, at->level, epoch_);
}

page_translation radix_table::unmap(std::uint32_t process, std::uint64_t address) {
    const place at = leaf(process, address);
    ++epoch_;
    const page_translation was = at.entry.translation(address, at.level, epoch_);
    const std::uint64_t first = entry_address(at.table, was.virtual_page, at.level);
    const unsigned entries = entries_of(was.bits);
    for (unsigned i = 0; i < entries; ++i) write(first + i * table_entry_bytes, {});
    prune(process, was.virtual_page, entries);
    return was;
}

// The last table on the path to that address has lost entries. Gives empty tables back, from that one upwards.
void radix_table::prune(std::uint32_t process, std::uint64_t address, unsigned entries) {
    std::array<std::uint64_t, table_levels + 1> tables{};
    unsigned lowest = table_levels;
    tables[lowest] = *root(process);
    while (lowest > 1) {
        const table_entry e = read(entry_address(tables[lowest], address, lowest));
        if (!e.present() || is_leaf(e, lowest)) break;
        tables[--lowest] = e.address();
    }
    for (unsigned level = lowest; level <= table_levels; ++level) {
        std::uint16_t& left = used(tables[level]);
        left = static_cast<std::uint16_t>(left - (level == lowest ? entries : 1));
        if (left != 0) return;
        free_.push_back(tables[level]);
        ++given_back_;
        if (level < table_levels) write(entry_address(tables[level + 1], address, level + 1), {});
    }
    roots_.erase(process);
}

page_translation radix_table::change(std::uint32_t process, const place& at, const page_translation& to) {
    check(process, to);
    const page_translation was = at.entry.translation(to.virtual_page, at.level, epoch_);
    ++epoch_;
    write_page(at, to);
    return was;
}

page_translation radix_table::remap(std::uint32_t process, std::uint64_t address, std::uint64_t physical_page) {
    const place at = leaf(process, address);
    page_translation to = at.entry.translation(address, at.level, epoch_);
    to.physical_page = physical_page;
    return change(process, at, to);
}

page_translation radix_table::protect(std::uint32_t process, std::uint64_t address, access_rights rights) {
    const place at = leaf(process, address);
    page_translation to = at.entry.translation(address, at.level, epoch_);
    to.rights = rights;
    return change(process, at, to);
}

std::optional<std::uint64_t> radix_table::root(std::uint32_t process) const {
    const auto at = roots_.find(process);
    if (at == roots_.end()) return std::nullopt;
    return at->second;
}

void radix_table::reset() {
    given_back_ += tables_in_use();
    roots_.clear();
    free_.clear();
    used_.clear();
    tables_ = 0;
    ++epoch_;
}

}  // namespace contraflow::memory
