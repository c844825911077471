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

buffer_entry decode(const buffer_record& r) {
    const auto word = [&](unsigned first) { return r[first] | std::uint64_t{r[first + 1]} << 32; };
    buffer_entry b;
    b.valid = (r[0] & 1) != 0;
    b.writable = (r[0] & 2) != 0;
    b.space = static_cast<memory_space>(r[0] >> 2 & 7);
    b.ring = static_cast<std::uint8_t>(r[0] >> 8);
    b.process = static_cast<std::uint16_t>(r[0] >> 16);
    b.base = word(1);
    b.length = word(3);
    b.root = word(5);
    return b;
}

bool valid(const buffer_record& r, std::uint32_t rings) {
    const buffer_entry b = decode(r);
    return static_cast<unsigned>(b.space) <= most_gpus && b.ring < rings;
}

}  // namespace contraflow::nic
