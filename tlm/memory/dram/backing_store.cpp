// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/backing_store.h"

#include <algorithm>
#include <cstring>

namespace contraflow::memory {
namespace {

constexpr std::size_t most_pages_at_a_time = 32;

}  // namespace

backing_store::backing_store(std::uint64_t base, core::bytes size)
    : base_(base),
      size_(size.count),
      chunks_((size.count + page_bytes * chunk_pages - 1) / (page_bytes * chunk_pages)) {}

std::uint8_t* backing_store::make(std::uint64_t number) {
    chunk& c = chunks_[number / chunk_pages];
    if (c.empty()) c.resize(chunk_pages);
    // Room for as many pages again as are in use, up to 2 MiB at a time.
    if (rooms_.empty() || rooms_.back().left() < page_bytes)
        rooms_.emplace_back(std::clamp<std::size_t>(in_use_, 1, most_pages_at_a_time) * page_bytes);
    std::uint8_t* const made = rooms_.back().take<std::uint8_t>(page_bytes);
    c[number % chunk_pages] = made;
    ++in_use_;
    return made;
}

void backing_store::read(std::uint64_t address, std::uint8_t* to, std::size_t length) const {
    std::uint64_t offset = address - base_;
    while (length > 0) {
        const std::uint64_t inside = offset % page_bytes;
        const std::size_t part = std::min<std::size_t>(length, page_bytes - inside);
        const std::uint8_t* const bytes = find(offset / page_bytes);
        if (bytes == nullptr)
            std::memset(to, 0, part);
        else
            std::memcpy(to, bytes + inside, part);
        to += part;
        offset += part;
        length -= part;
    }
}

void backing_store::write(std::uint64_t address, const std::uint8_t* from, std::size_t length) {
    std::uint64_t offset = address - base_;
    while (length > 0) {
        const std::uint64_t inside = offset % page_bytes;
        const std::size_t part = std::min<std::size_t>(length, page_bytes - inside);
        std::memcpy(page(offset / page_bytes) + inside, from, part);
        from += part;
        offset += part;
        length -= part;
    }
}

}  // namespace contraflow::memory
