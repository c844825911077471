// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/suite/packets.h"

#include <cstdint>
#include <span>
#include <vector>

#include "nic/packet.h"
#include "nic_rx/simple_case.h"

namespace contraflow::testing {

using namespace nic;

bytes with(const packet_header& h, std::size_t payload) { return packet_words(h, any_bytes(h.address, payload)); }

packet_header good_header(std::uint64_t offset, std::uint16_t length) {
    const bytes words = put(offset, length);
    return packet_header::decode(std::span<const std::uint8_t, word_bytes>(words.data(), word_bytes));
}

bytes dropped_for(drop_reason reason) {
    auto h = good_header(64, 40);
    switch (reason) {
    case drop_reason::framing: return packet_words(h, bytes(60));
    case drop_reason::crc: {
        auto p = with(h, 40);
        p[20] ^= 1;
        return p;
    }
    case drop_reason::header: h.reserved = 1; break;
    case drop_reason::length: h.length = 4097; return with(h, 4096);
    case drop_reason::misrouted: h.target.y ^= 1; break;
    case drop_reason::no_buffer: h.process = 77; break;
    case drop_reason::bounds: h.address = 0x1ffff; break;
    case drop_reason::access: h.process = 6; break;
    case drop_reason::translation: h.process = 7; break;
    case drop_reason::memory: break;  // a good packet, whose payload changes
    }
    return with(h, h.length);
}

std::vector<bytes> get_requests(std::uint8_t count) {
    packet_header h = good_header(0, 16);
    h.kind = 1;
    std::vector<bytes> all;
    for (std::uint8_t i = 0; i < count; ++i) all.push_back(packet_words(h, bytes(16, i)));
    return all;
}

}  // namespace contraflow::testing
