// SPDX-License-Identifier: Apache-2.0
// The lines of a cache: tags, the bytes that are valid, the bytes newer than the next level's, and the data. Host
// memory is taken by the lines that are used, not by the size of the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "memory/byte_mask.h"

namespace contraflow::memory {

class cache_lines {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    cache_lines(unsigned sets, unsigned ways, unsigned line_bytes)
        : sets_(sets),
          ways_(ways),
          line_bytes_(line_bytes),
          tags_(zeroed<std::uint64_t>(count())),
          pending_(zeroed<std::uint16_t>(count())),
          valid_(zeroed<byte_mask>(count())),
          dirty_(zeroed<byte_mask>(count())),
          data_(zeroed<std::uint8_t>(count() * line_bytes)) {}

    std::size_t count() const { return std::size_t{sets_} * ways_; }
    unsigned sets() const { return sets_; }
    unsigned ways() const { return ways_; }
    unsigned line_bytes() const { return line_bytes_; }

    // The line with that address in that set, or none.
    std::uint32_t find(unsigned set, std::uint64_t address) const {
        const std::uint32_t first = set * ways_;
        const std::uint64_t* const tags = &tags_[first];
        for (unsigned way = 0; way < ways_; ++way)
            if (tags[way] == (address | in_use)) return first + way;
        return none;
    }
    std::uint32_t line_of(unsigned set, unsigned way) const { return set * ways_ + way; }
    bool used(std::uint32_t line) const { return tags_[line] != 0; }
    std::uint64_t address(std::uint32_t line) const { return tags_[line] & ~in_use; }
    void occupy(std::uint32_t line, std::uint64_t address) {
        tags_[line] = address | in_use;
        valid_[line] = dirty_[line] = {};
        ++in_use_count_;
    }
    void release(std::uint32_t line) {
        tags_[line] = 0;
        --in_use_count_;
    }
    // Forgets everything, newer bytes as well.
    void clear() {
        if (in_use_count_ > 0) {
            std::memset(tags_.get(), 0, count() * sizeof tags_[0]);
            std::memset(pending_.get(), 0, count() * sizeof pending_[0]);
        }
        in_use_count_ = dirty_count_ = 0;
    }
    // Lines that hold anything.
    std::size_t in_use_count() const { return in_use_count_; }

    // The miss that will fill this line, plus one; 0 if none is under way.
    std::uint16_t& pending(std::uint32_t line) { return pending_[line]; }
    std::uint16_t pending(std::uint32_t line) const { return pending_[line]; }
    byte_mask& valid(std::uint32_t line) { return valid_[line]; }
    const byte_mask& valid(std::uint32_t line) const { return valid_[line]; }
    const byte_mask& dirty(std::uint32_t line) const { return dirty_[line]; }
    void set_dirty(std::uint32_t line, byte_mask m) {
        if (dirty_[line].any() != m.any()) dirty_count_ += m.any() ? 1 : -std::size_t{1};
        dirty_[line] = m;
    }
    std::size_t dirty_count() const { return dirty_count_; }
    std::uint8_t* data(std::uint32_t line) { return &data_[std::size_t{line} * line_bytes_]; }
    const std::uint8_t* data(std::uint32_t line) const { return &data_[std::size_t{line} * line_bytes_]; }

private:
    static constexpr std::uint64_t in_use = 1;  // line addresses are even, and an unused tag is 0

    struct release_memory {
        void operator()(void* p) const { std::free(p); }
    };
    template <class T> using array = std::unique_ptr<T[], release_memory>;
    // Pages of the host that are never touched stay unallocated.
    template <class T> static array<T> zeroed(std::size_t n) {
        void* const p = std::calloc(n, sizeof(T));
        if (p == nullptr) throw std::bad_alloc();
        return array<T>(static_cast<T*>(p));
    }

    const unsigned sets_;
    const unsigned ways_;
    const unsigned line_bytes_;
    std::size_t in_use_count_ = 0;
    std::size_t dirty_count_ = 0;
    array<std::uint64_t> tags_;
    array<std::uint16_t> pending_;
    array<byte_mask> valid_;
    array<byte_mask> dirty_;
    array<std::uint8_t> data_;
};

}  // namespace contraflow::memory
