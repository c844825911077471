// SPDX-License-Identifier: Apache-2.0
// The expected memory: every byte, and the pending requests to it, so that no two of them are ever in conflict and
// the answer to each is known exactly.
#pragma once

#include <cstdint>
#include <vector>

namespace contraflow::memory::testing {

class reference_memory {
public:
    explicit reference_memory(std::uint64_t size) : bytes_(size), readers_(size), writers_(size) {}

    std::uint8_t& operator[](std::uint64_t at) { return bytes_[at]; }
    const std::uint8_t* at(std::uint64_t address) const { return &bytes_[address]; }
    std::uint64_t size() const { return bytes_.size(); }

    bool may_begin(std::uint64_t at, unsigned length, bool writes) const {
        for (std::uint64_t i = at; i < at + length; ++i)
            if (writers_[i] != 0 || (writes && readers_[i] != 0)) return false;
        return true;
    }
    void begin(std::uint64_t at, unsigned length, bool writes) {
        for (std::uint64_t i = at; i < at + length; ++i) ++(writes ? writers_ : readers_)[i];
    }
    void end(std::uint64_t at, unsigned length, bool writes) {
        for (std::uint64_t i = at; i < at + length; ++i) --(writes ? writers_ : readers_)[i];
    }

private:
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint16_t> readers_;
    std::vector<std::uint16_t> writers_;
};

}  // namespace contraflow::memory::testing
