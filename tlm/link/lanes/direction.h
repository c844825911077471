// SPDX-License-Identifier: Apache-2.0
// The two directions of a link between its ends a and b, and a value for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace contraflow::link {

enum class direction : std::uint8_t { ab, ba };
inline constexpr std::array<direction, 2> both_directions{direction::ab, direction::ba};

constexpr std::size_t index(direction d) { return static_cast<std::size_t>(d); }
constexpr direction opposite(direction d) { return d == direction::ab ? direction::ba : direction::ab; }
constexpr const char* name(direction d) { return d == direction::ab ? "ab" : "ba"; }

template <class T> struct by_direction {
    T ab{}, ba{};
    constexpr T& operator[](direction d) { return d == direction::ab ? ab : ba; }
    constexpr const T& operator[](direction d) const { return d == direction::ab ? ab : ba; }
    friend constexpr bool operator==(const by_direction&, const by_direction&) = default;
};

}  // namespace contraflow::link
