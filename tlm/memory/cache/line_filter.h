// SPDX-License-Identifier: Apache-2.0
// Selects lines of a cache by address: all of them, those of a range, or those that a function chooses.
#pragma once

#include <cstdint>

namespace contraflow::memory {

struct line_filter {
    bool (*chooses)(const void* context, std::uint64_t address) = nullptr;
    const void* context = nullptr;
    // Only lines that begin in this range, which are looked for one by one; without bytes, everywhere.
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;

    static line_filter range(std::uint64_t first, std::uint64_t bytes) { return {nullptr, nullptr, first, bytes}; }
    bool everything() const { return chooses == nullptr && bytes == 0; }
    bool operator()(std::uint64_t address) const {
        return (bytes == 0 || address - first < bytes) && (chooses == nullptr || chooses(context, address));
    }
};

}  // namespace contraflow::memory
