// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/receive_datapath_if.h"

#include <algorithm>

namespace contraflow::nic {
namespace {

// sequence 0, process 4, tag 6, source 8 (x, y, z), length 12, address 16; little-endian, the rest zero.
void put(std::uint8_t* to, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i, value >>= 8) to[i] = static_cast<std::uint8_t>(value);
}
std::uint64_t get(const std::uint8_t* from, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) value = value << 8 | from[i];
    return value;
}

}  // namespace

void completion_record::encode(std::span<std::uint8_t, size> bytes) const {
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    put(bytes.data(), sequence, 4);
    put(bytes.data() + 4, process, 2);
    put(bytes.data() + 6, tag, 2);
    bytes[8] = source.x;
    bytes[9] = source.y;
    bytes[10] = source.z;
    put(bytes.data() + 12, length, 4);
    put(bytes.data() + 16, address, 8);
}

completion_record completion_record::decode(std::span<const std::uint8_t, size> bytes) {
    completion_record r;
    r.sequence = static_cast<std::uint32_t>(get(bytes.data(), 4));
    r.process = static_cast<std::uint16_t>(get(bytes.data() + 4, 2));
    r.tag = static_cast<std::uint16_t>(get(bytes.data() + 6, 2));
    r.source = {bytes[8], bytes[9], bytes[10]};
    r.length = static_cast<std::uint32_t>(get(bytes.data() + 12, 4));
    r.address = get(bytes.data() + 16, 8);
    return r;
}

}  // namespace contraflow::nic
