// SPDX-License-Identifier: Apache-2.0
// The lines of a cache: tags, the bytes that are valid, the bytes newer than the next level's, and the data. The most
// frequent questions are answered by the low bits of the tag; masks are read only for lines that are partly valid or
// partly dirty. A byte of each line's address finds the way of a set: the tags of 64 ways are eight lines of the host's
// cache, these bytes are one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/host_memory.h"
#include "memory/transaction/byte_enables.h"

namespace contraflow::memory {

class cache_lines {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr unsigned least_line_bytes = 32;  // the tag's low bits must be free

    cache_lines(unsigned sets, unsigned ways, unsigned line_bytes)
        : sets_(sets),
          ways_(ways),
          words_((ways + 7) / 8),
          all_ways_(ways == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ways) - 1),
          line_bytes_(line_bytes),
          whole_line_(byte_mask::range(0, line_bytes)),
          host_(core::host_memory::size_of<std::uint64_t>(count()) +
                core::host_memory::size_of<std::uint64_t>(std::size_t{sets} * words_) +
                core::host_memory::size_of<std::uint64_t>(sets) + core::host_memory::size_of<std::uint16_t>(count()) +
                core::host_memory::size_of<std::uint8_t>(count() * line_bytes)),
          masks_(2 * core::host_memory::size_of<byte_mask>(count()), core::host_pages::touched),
          tags_(host_.take<std::uint64_t>(count())),
          marks_(host_.take<std::uint64_t>(std::size_t{sets} * words_)),
          pending_(host_.take<std::uint64_t>(sets)),
          misses_(host_.take<std::uint16_t>(count())),
          valid_(masks_.take<byte_mask>(count())),
          dirty_(masks_.take<byte_mask>(count())),
          data_(host_.take<std::uint8_t>(count() * line_bytes)) {}

    std::size_t count() const { return std::size_t{sets_} * ways_; }
    unsigned sets() const { return sets_; }
    unsigned ways() const { return ways_; }
    const byte_mask& whole_line() const { return whole_line_; }

    // The line with that address in that set, or `none`.
    std::uint32_t find(unsigned set, std::uint64_t address) const {
        const std::uint32_t first = set * ways_;
        const std::uint64_t wanted = mark_of(address) * every_byte;
        for (unsigned word = 0; word < words_; ++word)
            for (std::uint64_t same = zero_bytes(marks_[set * words_ + word] ^ wanted); same != 0; same &= same - 1) {
                const std::uint32_t line = first + 8 * word + static_cast<unsigned>(std::countr_zero(same)) / 8;
                if ((tags_[line] & ~flags) == address && tags_[line] != 0) return line;
            }
        return none;
    }
    // An unused line of the set, the first one, or `none`.
    std::uint32_t find_unused(unsigned set) const {
        for (unsigned word = 0; word < words_; ++word)
            if (const std::uint64_t unused = zero_bytes(marks_[set * words_ + word]); unused != 0) {
                const unsigned way = 8 * word + static_cast<unsigned>(std::countr_zero(unused)) / 8;
                return way < ways_ ? set * ways_ + way : none;  // the last word may have more bytes than ways
            }
        return none;
    }
    // By way: the lines of a full set that are not pending.
    std::uint64_t not_pending(unsigned set) const { return all_ways_ & ~pending_[set]; }
    std::uint32_t line_of(unsigned set, unsigned way) const { return set * ways_ + way; }
    bool used(std::uint32_t line) const { return tags_[line] != 0; }
    std::uint64_t address(std::uint32_t line) const { return tags_[line] & ~flags; }
    // Takes an unused line. It counts as used once it is pending or has valid bytes, which must follow.
    void occupy(std::uint32_t line, std::uint64_t address) {
        tags_[line] = address;
        set_mark(line, mark_of(address));
        ++in_use_count_;
    }
    void release(std::uint32_t line) {
        tags_[line] = 0;
        set_mark(line, 0);
        --in_use_count_;
    }
    // Drops everything, dirty bytes as well.
    void clear() {
        if (in_use_count_ > 0) {
            std::memset(tags_, 0, count() * sizeof tags_[0]);
            std::memset(marks_, 0, std::size_t{sets_} * words_ * sizeof marks_[0]);
            std::memset(pending_, 0, sets_ * sizeof pending_[0]);
        }
        in_use_count_ = dirty_count_ = 0;
    }
    // Lines that hold anything.
    std::size_t in_use_count() const { return in_use_count_; }

    bool pending(std::uint32_t line) const { return has(line, pending_flag); }
    // The miss that will fill a pending line.
    std::uint16_t miss_of(std::uint32_t line) const { return misses_[line]; }
    void set_pending(std::uint32_t line, std::uint32_t miss) {
        tags_[line] |= pending_flag;
        misses_[line] = static_cast<std::uint16_t>(miss);
        pending_[line / ways_] |= std::uint64_t{1} << line % ways_;
    }
    void clear_pending(std::uint32_t line) {
        tags_[line] &= ~pending_flag;
        pending_[line / ways_] &= ~(std::uint64_t{1} << line % ways_);
    }

    byte_mask valid(std::uint32_t line) const {
        return has(line, whole_flag) ? whole_line_ : has(line, partial_flag) ? valid_[line] : byte_mask{};
    }
    void set_valid(std::uint32_t line, const byte_mask& m) {
        mark(line, m, whole_flag, partial_flag);
        if (has(line, partial_flag)) valid_[line] = m;
    }
    bool whole(std::uint32_t line) const { return has(line, whole_flag); }
    bool dirty(std::uint32_t line) const { return has(line, dirty_flag) || has(line, all_dirty_flag); }
    byte_mask dirty_bytes(std::uint32_t line) const {
        return has(line, all_dirty_flag) ? whole_line_ : has(line, dirty_flag) ? dirty_[line] : byte_mask{};
    }
    void set_dirty(std::uint32_t line, const byte_mask& m) {
        const bool before = dirty(line);
        mark(line, m, all_dirty_flag, dirty_flag);
        if (has(line, dirty_flag)) dirty_[line] = m;
        if (before != m.any()) dirty_count_ += before ? -std::size_t{1} : 1;
    }
    std::size_t dirty_count() const { return dirty_count_; }

    std::uint8_t* data(std::uint32_t line) { return &data_[std::size_t{line} * line_bytes_]; }
    const std::uint8_t* data(std::uint32_t line) const { return &data_[std::size_t{line} * line_bytes_]; }

private:
    // A used line has at least one set.
    static constexpr std::uint64_t whole_flag = 1, partial_flag = 2, pending_flag = 4, dirty_flag = 8,
                                   all_dirty_flag = 16, flags = 31;

    static constexpr std::uint64_t every_byte = 0x0101'0101'0101'0101;
    // The high bit of each byte that is 0. A byte above one of these may have it as well without being 0.
    static std::uint64_t zero_bytes(std::uint64_t word) { return (word - every_byte) & ~word & every_byte << 7; }
    // A byte of a used line, never 0.
    static std::uint64_t mark_of(std::uint64_t address) {
        return ((address / least_line_bytes) * 0x9e37'79b9'7f4a'7c15 >> 57) | 0x80;
    }
    void set_mark(std::uint32_t line, std::uint64_t mark) {
        std::uint64_t& word = marks_[line / ways_ * words_ + line % ways_ / 8];
        const unsigned at = line % ways_ % 8 * 8;
        word = (word & ~(std::uint64_t{0xff} << at)) | mark << at;
    }

    bool has(std::uint32_t line, std::uint64_t flag) const { return (tags_[line] & flag) != 0; }
    void mark(std::uint32_t line, const byte_mask& m, std::uint64_t all, std::uint64_t some) {
        tags_[line] = (tags_[line] & ~(all | some)) | (m == whole_line_ ? all : m.any() ? some : 0);
    }

    const unsigned sets_;
    const unsigned ways_;
    const unsigned words_;  // of eight ways' bytes
    const std::uint64_t all_ways_;
    const unsigned line_bytes_;
    const byte_mask whole_line_;
    std::size_t in_use_count_ = 0;
    std::size_t dirty_count_ = 0;
    core::host_memory host_;
    core::host_memory masks_;  // of lines that are partly valid or partly dirty
    std::uint64_t* const tags_;
    std::uint64_t* const marks_;    // by set, a byte for each way: 0 for an unused one
    std::uint64_t* const pending_;  // by set, a bit for each way
    std::uint16_t* const misses_;
    byte_mask* const valid_;
    byte_mask* const dirty_;
    std::uint8_t* const data_;
};

}  // namespace contraflow::memory
