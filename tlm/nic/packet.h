// SPDX-License-Identifier: Apache-2.0
// A packet of the torus: a header word, payload words (the last padded with zeros), a footer word. A word is 16 bytes;
// fields are little-endian, bit 0 of a word is bit 0 of its first byte.
//
//   header  12:0 length  15:13 kind  31:16 process  79:32 address  91:80 tag  92 notify  95:93 zero
//           110:96 source (x, y, z, 5 bits each)  125:111 target  127:126 zero
//   footer  31:0 CRC-32 (Ethernet, zlib) of all words before it
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace contraflow::nic {

inline constexpr std::uint32_t word_bytes = 16;
inline constexpr std::uint32_t most_payload = 4096;  // bytes
inline constexpr std::uint32_t most_words = 2 + most_payload / word_bytes;
inline constexpr std::uint32_t get_request_payload = 16;    // bytes
inline constexpr std::uint64_t address_space = 1ull << 48;  // bytes; addresses wrap here

struct position {
    std::uint8_t x = 0, y = 0, z = 0;  // 0 to 31
    friend constexpr auto operator<=>(const position&, const position&) = default;
};

// As headers have it: 5 bits of x, y and z, x the lowest.
std::uint64_t bits_of(const position& p);
position position_of(std::uint64_t bits);

enum class packet_kind : std::uint8_t { put = 0, get_request = 1 };  // 2 to 7 are reserved

struct packet_header {
    std::uint16_t length = 0;  // bytes of payload
    std::uint8_t kind = 0;     // a packet_kind, or a reserved value
    std::uint16_t process = 0;
    std::uint64_t address = 0;  // virtual, of the first byte
    std::uint16_t tag = 0;      // the sender's message
    bool notify = false;        // the last packet of a message
    std::uint8_t reserved = 0;  // bits 95:93, and 127:126 above them: zero
    position source, target;

    static packet_header decode(std::span<const std::uint8_t, word_bytes> word);
    void encode(std::span<std::uint8_t, word_bytes> word) const;
    friend bool operator==(const packet_header&, const packet_header&) = default;
};

// Words of a packet with that many bytes of payload.
constexpr std::uint32_t words_of(std::uint32_t payload) { return 2 + (payload + word_bytes - 1) / word_bytes; }

std::uint32_t checksum(std::span<const std::uint8_t> words);
// The whole packet. `payload` has as many bytes as the header says.
std::vector<std::uint8_t> packet_words(const packet_header& h, std::span<const std::uint8_t> payload);

}  // namespace contraflow::nic
