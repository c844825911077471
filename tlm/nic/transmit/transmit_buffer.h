// SPDX-License-Identifier: Apache-2.0
// The transmit buffer: lines of 128 bytes, allocated and freed in order, as a ring.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace contraflow::nic {

class transmit_buffer {
public:
    static constexpr std::uint32_t line = 128;  // bytes

    explicit transmit_buffer(std::uint64_t bytes) : bytes_(bytes), free_(lines()) {}

    std::uint32_t lines() const { return static_cast<std::uint32_t>(bytes_.size() / line); }
    std::uint32_t free() const { return free_; }
    // Takes `count` lines, at most those that are free, and returns the number of the first.
    std::uint32_t reserve(std::uint32_t count) {
        const std::uint32_t first = next_;
        free_ -= count;
        next_ = (next_ + count) % lines();
        return first;
    }
    // Frees the oldest lines.
    void release(std::uint32_t count) { free_ += count; }

    // Accesses to `length` bytes from byte `offset` of line `first` on. The buffer wraps at its end.
    void write(std::uint32_t first, std::uint64_t offset, const std::uint8_t* from, std::uint64_t length) {
        const std::uint64_t at = (std::uint64_t{first} * line + offset) % bytes_.size();
        const std::uint64_t part = std::min(length, bytes_.size() - at);
        std::memcpy(bytes_.data() + at, from, part);
        std::memcpy(bytes_.data(), from + part, length - part);
    }
    void read(std::uint32_t first, std::uint64_t offset, std::uint8_t* to, std::uint64_t length) const {
        const std::uint64_t at = (std::uint64_t{first} * line + offset) % bytes_.size();
        const std::uint64_t part = std::min(length, bytes_.size() - at);
        std::memcpy(to, bytes_.data() + at, part);
        std::memcpy(to + part, bytes_.data(), length - part);
    }
    void reset() {
        free_ = lines();
        next_ = 0;
    }

private:
    std::vector<std::uint8_t> bytes_;
    std::uint32_t free_ = 0, next_ = 0;
};

}  // namespace contraflow::nic
