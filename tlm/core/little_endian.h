// SPDX-License-Identifier: Apache-2.0
// Numbers in memory, packets, registers and records: the lowest byte first, independent of the host's byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>

namespace contraflow::core {

template <class T>
concept byte_like = sizeof(T) == 1;

template <std::unsigned_integral T, byte_like Byte> T load_le(const Byte* from) {
    std::array<Byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), from, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

// The type is always named, because that of an expression is often wider than the number in memory.
template <std::unsigned_integral T, byte_like Byte> void store_le(Byte* to, std::type_identity_t<T> value) {
    auto bytes = std::bit_cast<std::array<Byte, sizeof(T)>>(value);
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    std::memcpy(to, bytes.data(), sizeof(T));
}

// Byte `n` of a number in memory.
constexpr std::uint8_t byte_of(std::uint64_t value, std::uint64_t n) {
    return static_cast<std::uint8_t>(value >> 8 * n);
}

}  // namespace contraflow::core
