// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/table_memory.h"

namespace contraflow::nic {

buffer_record encode(const buffer_entry& b) {
    const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
    const std::uint32_t first = (b.valid ? 1u : 0u) | (b.writable ? 2u : 0u) |
                                static_cast<std::uint32_t>(b.space) << 2 | static_cast<std::uint32_t>(b.ring) << 8 |
                                static_cast<std::uint32_t>(b.process) << 16;
    return {first, low(b.base), high(b.base), low(b.length), high(b.length), low(b.root), high(b.root), 0};
}

}  // namespace contraflow::nic
