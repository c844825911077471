// SPDX-License-Identifier: Apache-2.0
// A set of a wavefront's threads: the result of a comparison, and which threads take part in an operation.
#pragma once

#include <bit>
#include <cstdint>

namespace contraflow::gpu {

inline constexpr unsigned wave_width = 32;  // threads of a wavefront

class mask {
public:
    using bits_type = std::uint32_t;
    static_assert(sizeof(bits_type) * 8 == wave_width);

    constexpr mask() = default;
    constexpr explicit mask(bits_type bits) : bits_(bits) {}
    static constexpr mask everything() { return mask(~bits_type{0}); }
    static constexpr mask thread(unsigned i) { return mask(bits_type{1} << i); }
    // Threads 0 to n-1.
    static constexpr mask first(unsigned n) { return n >= wave_width ? everything() : mask((bits_type{1} << n) - 1); }

    constexpr bits_type bits() const { return bits_; }
    constexpr bool operator[](unsigned i) const { return (bits_ >> i & 1) != 0; }
    constexpr bool any() const { return bits_ != 0; }
    constexpr bool none() const { return bits_ == 0; }
    constexpr bool all() const { return ~bits_ == 0; }
    constexpr unsigned count() const { return static_cast<unsigned>(std::popcount(bits_)); }
    // The lowest thread of the set; wave_width if it is empty.
    constexpr unsigned lowest() const { return static_cast<unsigned>(std::countr_zero(bits_)); }
    // How many threads of the set lie below thread i: its place among them.
    constexpr unsigned count_below(unsigned i) const { return (*this & first(i)).count(); }

    constexpr mask without_lowest() const { return mask(bits_ & (bits_ - 1)); }
    friend constexpr mask operator&(mask a, mask b) { return mask(a.bits_ & b.bits_); }
    friend constexpr mask operator|(mask a, mask b) { return mask(a.bits_ | b.bits_); }
    friend constexpr mask operator^(mask a, mask b) { return mask(a.bits_ ^ b.bits_); }
    // Reads like a condition: x < n && y != 0. Both sides are always computed.
    friend constexpr mask operator&&(mask a, mask b) { return a & b; }
    friend constexpr mask operator||(mask a, mask b) { return a | b; }
    friend constexpr mask operator!(mask a) { return mask(~a.bits_); }
    constexpr mask& operator&=(mask b) { return *this = *this & b; }
    constexpr mask& operator|=(mask b) { return *this = *this | b; }
    friend constexpr bool operator==(mask, mask) = default;

private:
    bits_type bits_ = 0;
};

}  // namespace contraflow::gpu
