// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/paged_memory.h"

#include <algorithm>
#include <cstring>

namespace contraflow::gpu {

paged_memory::paged_memory(memory::page_table& pages, physical_memory_if& physical)
    : pages_(pages),
      physical_(physical) {
    pages_.set_listener(this);
}

paged_memory::~paged_memory() { pages_.set_listener(nullptr); }

std::uint64_t paged_memory::reserve(std::size_t bytes) { return pages_.allocate({bytes}); }

std::uint64_t paged_memory::reserve_uncached(std::size_t bytes) {
    return pages_.allocate({bytes}, memory::memory_type::uncached);
}

std::size_t paged_memory::page_of(std::uint64_t address) const {
    return static_cast<std::size_t>((address - memory::page_table::first_address) / pages_.page_size());
}

template <class Part> void paged_memory::for_each_page(std::uint64_t address, std::size_t length, Part part) const {
    if (length == 0) return;
    if (address < memory::page_table::first_address || !pages_.allocated(address + length - 1))
        throw std::out_of_range(
            fmt::format("host access to {} bytes at {:#x}, which is not allocated", length, address));
    for (std::size_t done = 0; done < length;) {
        const std::uint64_t at = address + done;
        const auto in_page = static_cast<std::size_t>(pages_.page_size() - at % pages_.page_size());
        const std::size_t n = std::min(in_page, length - done);
        part(at, done, n);
        done += n;
    }
}

void paged_memory::write_bytes(std::uint64_t address, std::span<const std::byte> from) {
    for_each_page(address, from.size(), [&](std::uint64_t at, std::size_t offset, std::size_t n) {
        if (const auto physical = pages_.find(at)) return physical_.debug_write(*physical, from.subspan(offset, n));
        if (page_of(at) >= aside_.size()) aside_.resize(page_of(at) + 1);
        page_bytes& page = aside_[page_of(at)];
        if (!page) page = std::make_unique<std::byte[]>(pages_.page_size());
        std::memcpy(page.get() + at % pages_.page_size(), from.data() + offset, n);
    });
}

void paged_memory::read_bytes(std::uint64_t address, std::span<std::byte> to) const {
    for_each_page(address, to.size(), [&](std::uint64_t at, std::size_t offset, std::size_t n) {
        const std::span<std::byte> part = to.subspan(offset, n);
        if (const auto physical = pages_.find(at)) return physical_.debug_read(*physical, part);
        if (page_of(at) < aside_.size() && aside_[page_of(at)])
            std::memcpy(part.data(), aside_[page_of(at)].get() + at % pages_.page_size(), n);
        else
            std::fill(part.begin(), part.end(), std::byte{});
    });
}

void paged_memory::page_placed(std::uint64_t virtual_address, std::uint64_t physical_address, std::uint64_t size) {
    if (page_of(virtual_address) >= aside_.size() || !aside_[page_of(virtual_address)]) return;
    page_bytes& page = aside_[page_of(virtual_address)];
    physical_.debug_write(physical_address, {page.get(), static_cast<std::size_t>(size)});
    page.reset();
}

}  // namespace contraflow::gpu
