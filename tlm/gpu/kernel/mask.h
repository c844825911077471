// SPDX-License-Identifier: Apache-2.0
// A set of a wavefront's threads: the result of a comparison, and which threads take part in an operation.
#pragma once

#include <bit>
#include <cstdint>

namespace contraflow::gpu {

inline constexpr unsigned max_wave_width = 64;      // threads of the widest wavefront
inline constexpr unsigned default_wave_width = 32;  // of a machine that says nothing else

// The width of the wavefront whose code runs. A value for each thread has room for the widest wavefront, and operators
// compute as many values as this one has threads: they know no wavefront, and a machine has either width. Outside of
// wavefronts, such as in a host program, values are complete.
class running_wave {
public:
    // From here to the end of the scope that wavefront's code runs.
    explicit running_wave(unsigned width) : before_(width_) { width_ = width; }
    ~running_wave() { width_ = before_; }
    running_wave(const running_wave&) = delete;
    running_wave& operator=(const running_wave&) = delete;

    static unsigned width() { return width_; }

private:
    static inline thread_local constinit unsigned width_ = max_wave_width;

    const unsigned before_;
};

// f(first) for each half or whole wavefront of 32 threads. A loop over a constant number of threads is what compilers
// turn into vector instructions.
inline constexpr unsigned wave_block = 32;
template <class Function> void for_wave_blocks(unsigned width, Function f) {
    unsigned first = 0;
    do {
        f(first);
        first += wave_block;
    } while (first < width);
}
// f(thread) for all threads of the running wavefront.
template <class Function> void for_threads(Function f) {
    for_wave_blocks(running_wave::width(), [&](unsigned first) {
        for (unsigned i = 0; i < wave_block; ++i) f(first + i);
    });
}

class mask {
public:
    using bits_type = std::uint64_t;
    static_assert(sizeof(bits_type) * 8 == max_wave_width);

    constexpr mask() = default;
    constexpr explicit mask(bits_type bits) : bits_(bits) {}
    // All threads of the running wavefront.
    static mask everything() { return first(running_wave::width()); }
    static constexpr mask thread(unsigned i) { return mask(bits_type{1} << i); }
    // Threads 0 to n-1.
    static constexpr mask first(unsigned n) {
        return mask(n >= max_wave_width ? ~bits_type{0} : (bits_type{1} << n) - 1);
    }

    constexpr bits_type bits() const { return bits_; }
    constexpr bool operator[](unsigned i) const { return (bits_ >> i & 1) != 0; }
    constexpr bool any() const { return bits_ != 0; }
    constexpr bool none() const { return bits_ == 0; }
    bool all() const { return (!*this).none(); }
    constexpr unsigned count() const { return static_cast<unsigned>(std::popcount(bits_)); }
    // The lowest thread of the set; max_wave_width if it is empty.
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
    friend mask operator!(mask a) { return mask(~a.bits_) & everything(); }
    constexpr mask& operator&=(mask b) { return *this = *this & b; }
    constexpr mask& operator|=(mask b) { return *this = *this | b; }
    friend constexpr bool operator==(mask, mask) = default;

private:
    bits_type bits_ = 0;
};

}  // namespace contraflow::gpu
