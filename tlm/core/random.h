// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine, unlike those of the standard library's distributions. Source:
// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace contraflow::core {

inline constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15u;

// Neighbouring arguments give unrelated values.
constexpr std::uint64_t mix64(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The seed of one instance among many with the same configuration. FNV-1a of its name.
constexpr std::uint64_t seed_of(std::uint64_t seed, std::string_view name) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return seed ^ h;
}

class random_source {
public:
    explicit constexpr random_source(std::uint64_t seed) : state_(seed) {}
    constexpr std::uint64_t next() { return mix64(state_ += golden_gamma); }
    // Uniform in [0, n); the remainder's bias is below n / 2^64.
    constexpr std::uint64_t below(std::uint64_t n) { return next() % n; }
    // Uniform in (0, 1].
    constexpr double unit() { return (static_cast<double>(next() >> 11) + 1.0) * 0x1p-53; }

private:
    std::uint64_t state_;
};

// Puts the elements into any order, all orders equally probable (Fisher and Yates).
template <class Range> void shuffle(Range&& all, random_source& draw) {
    const std::span elements(all);
    for (std::size_t i = elements.size(); i > 1; --i) std::swap(elements[i - 1], elements[draw.below(i)]);
}

}  // namespace contraflow::core
