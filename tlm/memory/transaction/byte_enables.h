// SPDX-License-Identifier: Apache-2.0
// The enabled bytes of a line or a request: a bit for each byte of a line (byte_mask), or the byte enables of a TLM-2.0
// payload; and copies of the enabled bytes between data and memory.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <tlm>

namespace contraflow::memory {

// A bit for each byte of a line of up to 128 bytes.
struct byte_mask {
    std::array<std::uint64_t, 2> bits{};

    // Bytes [offset, offset + length).
    static byte_mask range(unsigned offset, unsigned length) { return below(offset + length) & ~below(offset); }
    // The bytes of that range that the byte enables choose; shorter byte enables repeat.
    static byte_mask enabled(unsigned offset, unsigned length, const std::uint8_t* enables, unsigned enables_length) {
        byte_mask m;
        for (unsigned i = 0, e = 0; i < length; ++i, e = e + 1 == enables_length ? 0 : e + 1)
            m.bits[(offset + i) / 64] |= std::uint64_t{enables[e] != 0} << ((offset + i) % 64);
        return m;
    }

    bool any() const { return (bits[0] | bits[1]) != 0; }
    unsigned count() const { return static_cast<unsigned>(std::popcount(bits[0]) + std::popcount(bits[1])); }
    bool has(unsigned byte) const { return (bits[byte / 64] >> (byte % 64) & 1) != 0; }
    bool contains(const byte_mask& o) const { return ((o.bits[0] & ~bits[0]) | (o.bits[1] & ~bits[1])) == 0; }
    byte_mask operator~() const { return {{~bits[0], ~bits[1]}}; }
    friend byte_mask operator&(byte_mask a, byte_mask b) { return {{a.bits[0] & b.bits[0], a.bits[1] & b.bits[1]}}; }
    friend byte_mask operator|(byte_mask a, byte_mask b) { return {{a.bits[0] | b.bits[0], a.bits[1] | b.bits[1]}}; }
    friend bool operator==(const byte_mask&, const byte_mask&) = default;

    // Copies the chosen bytes of a line, eight at a time.
    void copy(std::uint8_t* to, const std::uint8_t* from, unsigned line_bytes) const {
        for (unsigned i = 0; i < line_bytes; i += 8) {
            const auto chosen = static_cast<std::uint8_t>(bits[i / 64] >> (i % 64));
            if (chosen == 0) continue;
            if (chosen == 0xff) {
                std::memcpy(to + i, from + i, 8);
                continue;
            }
            std::uint64_t old;
            std::uint64_t fresh;
            std::memcpy(&old, to + i, 8);
            std::memcpy(&fresh, from + i, 8);
            const std::uint64_t mask = spread(chosen);
            old = (old & ~mask) | (fresh & mask);
            std::memcpy(to + i, &old, 8);
        }
    }
    // In the form of byte enables: 0xff or 0 for each byte.
    void write_enables(std::uint8_t* to, unsigned line_bytes) const {
        for (unsigned i = 0; i < line_bytes; i += 8) {
            const std::uint64_t mask = spread(static_cast<std::uint8_t>(bits[i / 64] >> (i % 64)));
            std::memcpy(to + i, &mask, 8);
        }
    }

private:
    static byte_mask below(unsigned end) {
        constexpr std::uint64_t all = ~std::uint64_t{0};
        if (end >= 128) return {{all, all}};
        if (end >= 64) return {{all, (std::uint64_t{1} << (end - 64)) - 1}};
        return {{(std::uint64_t{1} << end) - 1, 0}};
    }
    // Bit i becomes byte i, 0 or 0xff, in the order of a little-endian host.
    static std::uint64_t spread(std::uint8_t chosen) {
        static_assert(std::endian::native == std::endian::little);
        constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fu;
        const std::uint64_t apart = (chosen * 0x0101010101010101u) & 0x8040201008040201u;  // byte i: its bit, or 0
        const std::uint64_t top = ((apart & low) + low) | apart;                           // top bit: byte is not 0
        return (top >> 7 & 0x0101010101010101u) * 0xff;
    }
};

// Copies the bytes that are enabled. Byte enables of 0 or 0xff, repeated when they are fewer than the bytes; none:
// everything.
inline void enabled_copy(std::uint8_t* to, const std::uint8_t* from, unsigned length, const std::uint8_t* enables,
                         unsigned enables_length) {
    if (enables == nullptr) {
        std::memcpy(to, from, length);
        return;
    }
    unsigned i = 0;
    if (enables_length >= length) {
        for (; i + 8 <= length; i += 8) {
            std::uint64_t mask;
            std::uint64_t old;
            std::uint64_t fresh;
            std::memcpy(&mask, enables + i, 8);
            std::memcpy(&old, to + i, 8);
            std::memcpy(&fresh, from + i, 8);
            old = (old & ~mask) | (fresh & mask);
            std::memcpy(to + i, &old, 8);
        }
    }
    for (; i < length; ++i)
        if (enables[i % enables_length] != TLM_BYTE_DISABLED) to[i] = from[i];
}

// To memory on a write, from it on a read.
inline void transfer(const tlm::tlm_generic_payload& trans, std::uint8_t* memory) {
    const unsigned length = trans.get_data_length();
    if (trans.is_write())
        enabled_copy(memory, trans.get_data_ptr(), length, trans.get_byte_enable_ptr(), trans.get_byte_enable_length());
    else
        enabled_copy(trans.get_data_ptr(), memory, length, trans.get_byte_enable_ptr(), trans.get_byte_enable_length());
}

}  // namespace contraflow::memory
