// SPDX-License-Identifier: Apache-2.0
#include "memory/vm/page_table.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::memory {

page_table::page_table(observe::statistics& statistics, const std::string& path, const spec& s, const address_map& map)
    : map_(map),
      placement_(s.placement),
      shift_(static_cast<unsigned>(std::countr_zero(s.page_size.count))),
      used_(map.sockets()),
      spilled_(statistics, path + ".spilled", "pages", "pages put elsewhere because the memory meant was full") {
    if (!std::has_single_bit(s.page_size.count))
        throw std::invalid_argument("page_table: the page size is no power of two");
    for (unsigned i = 0; i < map.sockets(); ++i)
        placed_.push_back(std::make_unique<observe::counter>(statistics, fmt::format("{}.socket{}", path, i), "pages",
                                                             "pages put into this socket's memory"));
}

memory_full::memory_full(core::bytes allocated, core::bytes socket_has, core::bytes socket_needs)
    : std::runtime_error(fmt::format("the memory of all sockets is full: {} a socket, where {} would hold what is "
                                     "allocated",
                                     core::to_text(socket_has), core::to_text(socket_needs))),
      allocated_(allocated),
      socket_has_(socket_has),
      socket_needs_(socket_needs) {}

std::uint64_t page_table::allocate(core::bytes size, memory_type type) {
    if (type == memory_type::io) throw std::invalid_argument("page_table: memory of type io has a bus address");
    const std::uint64_t first = allocated_;
    allocated_ += std::max<std::uint64_t>(1, (size.count + page_size() - 1) >> shift_);
    pages_.resize(std::min(allocated_, pages_a_socket() * used_.size()), not_placed);
    if (type == memory_type::uncached) uncached_.push_back({first, allocated_});
    return first_address + (first << shift_);
}

std::uint64_t page_table::map_io(std::uint64_t bus_address, core::bytes size) {
    if (size.count == 0 || bus_address >= io_space || size.count > io_space - bus_address)
        throw std::invalid_argument(
            fmt::format("page_table: {} at {:#x} is no range of bus addresses", core::to_text(size), bus_address));
    const std::uint64_t offset = bus_address & (page_size() - 1);
    const std::uint64_t address = first_io_address + (io_pages_ << shift_) + offset;
    io_pages_ += (offset + size.count + page_size() - 1) >> shift_;
    io_.push_back({address, size.count, bus_address});
    return address;
}

const page_table::io_range* page_table::find_io(std::uint64_t address) const {
    for (const io_range& r : io_)
        if (address - r.address < r.size) return &r;
    return nullptr;
}

// A page that is not cached, or has no place yet.
page_table::location page_table::locate_uncached(std::uint64_t address, unsigned toucher) {
    if (const io_range* const r = find_io(address))
        return {io_space + r->bus_address + (address - r->address), memory_type::io};
    const std::uint64_t page = (address - first_address) >> shift_;
    std::uint64_t physical = page < pages_.size() ? pages_[page] : not_placed;
    if (physical == not_placed) physical = place(page, toucher);
    return {(physical & ~uncached_flag) | (address & (page_size() - 1)),
            (physical & uncached_flag) != 0 ? memory_type::uncached : memory_type::cached};
}

std::uint64_t page_table::place(std::uint64_t page, unsigned toucher) {
    const std::uint64_t address = first_address + (page << shift_);
    if (!allocated(address))
        throw std::out_of_range(fmt::format("page_table: address {:#x} was never allocated", address));
    if (page >= pages_.size()) throw full();
    const std::uint64_t fit = pages_a_socket();
    const unsigned meant = placement_ == placement::first_touch ? toucher : static_cast<unsigned>(page % used_.size());
    for (unsigned i = 0; i < used_.size(); ++i) {
        const unsigned socket = static_cast<unsigned>((meant + i) % used_.size());
        if (used_[socket] == fit) continue;
        if (i > 0) ++spilled_;
        ++*placed_[socket];
        const std::uint64_t physical = map_.base(socket) + (used_[socket]++ << shift_);
        const bool uncached = std::any_of(uncached_.begin(), uncached_.end(),
                                          [page](const uncached_range& r) { return page - r.first < r.end - r.first; });
        pages_[page] = physical | (uncached ? uncached_flag : 0);
        if (listener_ != nullptr) listener_->page_placed(address, physical, page_size());
        return pages_[page];
    }
    throw full();
}

void page_table::check_room() const {
    if (allocated_ > pages_a_socket() * used_.size()) throw full();
}

memory_full page_table::full() const {
    const std::uint64_t needed = (allocated_ + used_.size() - 1) / used_.size();
    return {{allocated_ << shift_},
            map_.memory_per_socket(),
            {(needed << shift_) + map_.memory_per_socket().count - map_.memory_for_pages().count}};
}

std::optional<std::uint64_t> page_table::find(std::uint64_t address) const {
    const std::uint64_t page = (address - first_address) >> shift_;
    if (page >= pages_.size() || pages_[page] == not_placed) return std::nullopt;
    return (pages_[page] & ~uncached_flag) | (address & (page_size() - 1));
}

void page_table::map(std::uint32_t, std::uint64_t virtual_page, std::uint64_t physical_page) {
    const std::uint64_t page = (virtual_page - first_address) >> shift_;
    if (virtual_page < first_address || (virtual_page | physical_page) % page_size() != 0)
        throw std::logic_error(fmt::format("page_table: {:#x} can't be mapped to {:#x}", virtual_page, physical_page));
    if (allocated_ != 0) throw std::logic_error("page_table: a page mapped into a table that allocates");
    if (page >= pages_.size()) pages_.resize(page + 1, not_placed);
    if (pages_[page] != not_placed)
        throw std::logic_error(fmt::format("page_table: {:#x} is mapped already", virtual_page));
    pages_[page] = physical_page;
}

std::uint64_t& page_table::mapped(std::uint64_t virtual_page) {
    const std::uint64_t page = (virtual_page - first_address) >> shift_;
    if (page >= pages_.size() || pages_[page] == not_placed)
        throw std::logic_error(fmt::format("page_table: {:#x} is not mapped", virtual_page));
    return pages_[page];
}

void page_table::unmap(std::uint32_t, std::uint64_t virtual_page) { mapped(virtual_page) = not_placed; }

void page_table::remap(std::uint32_t, std::uint64_t virtual_page, std::uint64_t physical_page) {
    mapped(virtual_page) = physical_page;
}

void page_table::reset() {
    pages_.clear();
    uncached_.clear();
    io_.clear();
    io_pages_ = 0;
    allocated_ = 0;
    std::fill(used_.begin(), used_.end(), 0);
}

}  // namespace contraflow::memory
