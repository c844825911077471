// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/completion_record.h"

#include <algorithm>

#include "core/little_endian.h"

namespace contraflow::nic {

// sequence 0, process 4, tag 6, source 8 (x, y, z), refused 11, length 12, address 16; the rest zero.

void completion_record::encode(std::span<std::uint8_t, size> bytes) const {
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    core::store_le<std::uint32_t>(bytes.data(), sequence);
    core::store_le<std::uint16_t>(bytes.data() + 4, process);
    core::store_le<std::uint16_t>(bytes.data() + 6, tag);
    bytes[8] = source.x;
    bytes[9] = source.y;
    bytes[10] = source.z;
    bytes[refused_at] = refused ? 1 : 0;
    core::store_le<std::uint32_t>(bytes.data() + 12, length);
    core::store_le<std::uint64_t>(bytes.data() + 16, address);
}

completion_record completion_record::decode(std::span<const std::uint8_t, size> bytes) {
    completion_record r;
    r.sequence = core::load_le<std::uint32_t>(bytes.data());
    r.process = core::load_le<std::uint16_t>(bytes.data() + 4);
    r.tag = core::load_le<std::uint16_t>(bytes.data() + 6);
    r.source = {bytes[8], bytes[9], bytes[10]};
    r.refused = bytes[refused_at] != 0;
    r.length = core::load_le<std::uint32_t>(bytes.data() + 12);
    r.address = core::load_le<std::uint64_t>(bytes.data() + 16);
    return r;
}

}  // namespace contraflow::nic
