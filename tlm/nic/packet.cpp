// SPDX-License-Identifier: Apache-2.0
#include "nic/packet.h"

#include <algorithm>

#include <zlib.h>

#include "core/little_endian.h"

namespace contraflow::nic {
namespace {

std::uint64_t field(std::uint64_t from, unsigned low, unsigned bits) { return from >> low & ((1ull << bits) - 1); }

}  // namespace

position position_of(std::uint64_t bits) {
    return {static_cast<std::uint8_t>(bits & 31), static_cast<std::uint8_t>(bits >> 5 & 31),
            static_cast<std::uint8_t>(bits >> 10 & 31)};
}
std::uint64_t bits_of(const position& p) {
    return (p.x & 31u) | (p.y & 31u) << 5 | static_cast<std::uint64_t>(p.z & 31u) << 10;
}

packet_header packet_header::decode(std::span<const std::uint8_t, word_bytes> word) {
    const std::uint64_t low = core::load_le<std::uint64_t>(word.data()),
                        high = core::load_le<std::uint64_t>(word.data() + 8);
    packet_header h;
    h.length = static_cast<std::uint16_t>(field(low, 0, 13));
    h.kind = static_cast<std::uint8_t>(field(low, 13, 3));
    h.process = static_cast<std::uint16_t>(field(low, 16, 16));
    h.address = field(low, 32, 32) | field(high, 0, 16) << 32;
    h.tag = static_cast<std::uint16_t>(field(high, 16, 12));
    h.notify = field(high, 28, 1) != 0;
    h.reserved = static_cast<std::uint8_t>(field(high, 29, 3) | field(high, 62, 2) << 3);
    h.source = position_of(field(high, 32, 15));
    h.target = position_of(field(high, 47, 15));
    return h;
}

void packet_header::encode(std::span<std::uint8_t, word_bytes> word) const {
    const std::uint64_t low = (length & 0x1fffu) | std::uint64_t{kind & 7u} << 13 | std::uint64_t{process} << 16 |
                              (address & 0xffff'ffffu) << 32;
    const std::uint64_t high = field(address, 32, 16) | std::uint64_t{tag & 0xfffu} << 16 |
                               std::uint64_t{notify} << 28 | std::uint64_t{reserved & 7u} << 29 |
                               bits_of(source) << 32 | bits_of(target) << 47 | field(reserved, 3, 2) << 62;
    core::store_le<std::uint64_t>(word.data(), low);
    core::store_le<std::uint64_t>(word.data() + 8, high);
}

std::uint32_t checksum(std::span<const std::uint8_t> words) {
    return static_cast<std::uint32_t>(crc32_z(0, words.data(), words.size()));
}

std::vector<std::uint8_t> packet_words(const packet_header& h, std::span<const std::uint8_t> payload) {
    std::vector<std::uint8_t> words(std::size_t{words_of(static_cast<std::uint32_t>(payload.size()))} * word_bytes);
    h.encode(std::span<std::uint8_t, word_bytes>(words.data(), word_bytes));
    std::copy(payload.begin(), payload.end(), words.begin() + word_bytes);
    const std::size_t footer = words.size() - word_bytes;
    core::store_le<std::uint32_t>(words.data() + footer, checksum({words.data(), footer}));
    return words;
}

}  // namespace contraflow::nic
