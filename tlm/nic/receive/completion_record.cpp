// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/completion_record.h"

#include <algorithm>

#include "nic/little_endian.h"

namespace contraflow::nic {

// sequence 0, process 4, tag 6, source 8 (x, y, z), refused 11, length 12, address 16; the rest zero.

void completion_record::encode(std::span<std::uint8_t, size> bytes) const {
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    store(bytes.data(), sequence, 4);
    store(bytes.data() + 4, process, 2);
    store(bytes.data() + 6, tag, 2);
    bytes[8] = source.x;
    bytes[9] = source.y;
    bytes[10] = source.z;
    bytes[refused_at] = refused ? 1 : 0;
    store(bytes.data() + 12, length, 4);
    store(bytes.data() + 16, address, 8);
}

completion_record completion_record::decode(std::span<const std::uint8_t, size> bytes) {
    completion_record r;
    r.sequence = static_cast<std::uint32_t>(load(bytes.data(), 4));
    r.process = static_cast<std::uint16_t>(load(bytes.data() + 4, 2));
    r.tag = static_cast<std::uint16_t>(load(bytes.data() + 6, 2));
    r.source = {bytes[8], bytes[9], bytes[10]};
    r.refused = bytes[refused_at] != 0;
    r.length = static_cast<std::uint32_t>(load(bytes.data() + 12, 4));
    r.address = load(bytes.data() + 16, 8);
    return r;
}

}  // namespace contraflow::nic
