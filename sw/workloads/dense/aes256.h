// SPDX-License-Identifier: Apache-2.0
// The block cipher AES with a key of 256 bits, on the host, as FIPS-197 defines it: byte by byte, by arithmetic in
// GF(2^8). Words have their first byte in the upper bits, as in the standard.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace contraflow::workloads::aes256 {

inline constexpr unsigned rounds = 14;
inline constexpr unsigned block_words = 4;
inline constexpr unsigned schedule_words = block_words * (rounds + 1);

using key = std::array<std::uint32_t, 8>;
using block = std::array<std::uint32_t, block_words>;
using schedule = std::array<std::uint32_t, schedule_words>;

// A product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
std::uint8_t product(std::uint8_t a, std::uint8_t b);
// SubBytes' table: the inverse, then an affine map (5.1.1).
const std::array<std::uint8_t, 256>& s_box();
schedule expand(const key& k);  // 5.2
block encrypt(const block& plain, const schedule& s);

}  // namespace contraflow::workloads::aes256
