// SPDX-License-Identifier: Apache-2.0
// The bytes of a memory: zero until written; only written pages take room on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/host_memory.h"
#include "core/units.h"

namespace contraflow::memory {

class backing_store {
public:
    static constexpr std::uint64_t page_bytes = 64u << 10;

    // Addresses from `base` on.
    backing_store(std::uint64_t base, core::bytes size);

    std::uint64_t base() const { return base_; }
    std::uint64_t size() const { return size_; }
    bool contains(std::uint64_t address, std::uint64_t length) const {
        const std::uint64_t offset = address - base_;
        return offset < size_ && length <= size_ - offset;
    }
    bool in_one_page(std::uint64_t address, std::uint64_t length) const {
        return (address - base_) % page_bytes + length <= page_bytes;
    }
    // The range must be contained.
    void read(std::uint64_t address, std::uint8_t* to, std::size_t length) const;
    void write(std::uint64_t address, const std::uint8_t* from, std::size_t length);
    // The byte at `address` and those that follow it in its page, for reading and writing in place.
    std::uint8_t* at(std::uint64_t address) {
        const std::uint64_t offset = address - base_;
        return page(offset / page_bytes) + offset % page_bytes;
    }

    std::size_t pages_in_use() const { return in_use_; }

private:
    static constexpr std::uint64_t chunk_pages = 1024;
    using chunk = std::vector<std::uint8_t*>;

    const std::uint8_t* find(std::uint64_t page) const {
        const auto& c = chunks_[page / chunk_pages];
        return c.empty() ? nullptr : c[page % chunk_pages];
    }
    std::uint8_t* page(std::uint64_t number) {
        auto* const known = const_cast<std::uint8_t*>(find(number));
        return known != nullptr ? known : make(number);
    }
    std::uint8_t* make(std::uint64_t number);

    std::uint64_t base_;
    std::uint64_t size_;
    std::vector<chunk> chunks_;
    std::vector<core::host_memory> rooms_;  // of the pages; the last has those that are not yet in use
    std::size_t in_use_ = 0;
};

}  // namespace contraflow::memory
