// SPDX-License-Identifier: Apache-2.0
// Numbers in packets and records: the lowest byte first, independent of the host's byte order.
#pragma once

#include <cstdint>

namespace contraflow::nic {

// Numbers of up to 8 bytes.
inline std::uint64_t load(const std::uint8_t* from, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) value = value << 8 | from[i];
    return value;
}
inline void store(std::uint8_t* to, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i, value >>= 8) to[i] = static_cast<std::uint8_t>(value);
}

}  // namespace contraflow::nic
