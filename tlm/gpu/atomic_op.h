// SPDX-License-Identifier: Apache-2.0
// What an atomic access does to an element of memory. Each leaves the old value in place of its operand.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace contraflow::gpu {

enum class atomic_op : std::uint8_t { add, min, max, exchange, compare_exchange, bit_and, bit_or };
enum class operand_type : std::uint8_t { u32, i32, u64, i64, f32, f64 };

template <class T>
concept atomic_element =
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

template <atomic_element T> constexpr operand_type operand_type_of() {
    if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? operand_type::f32 : operand_type::f64;
    else if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 4 ? operand_type::i32 : operand_type::i64;
    else
        return sizeof(T) == 4 ? operand_type::u32 : operand_type::u64;
}

namespace detail {

template <class T> T combined(atomic_op op, T old, T operand, T expected) {
    switch (op) {
    case atomic_op::add: return static_cast<T>(old + operand);
    case atomic_op::min: return std::min(old, operand);
    case atomic_op::max: return std::max(old, operand);
    case atomic_op::exchange: return operand;
    case atomic_op::compare_exchange: return old == expected ? operand : old;
    case atomic_op::bit_and:
        if constexpr (std::is_integral_v<T>) return old & operand;
        break;
    case atomic_op::bit_or:
        if constexpr (std::is_integral_v<T>) return old | operand;
        break;
    }
    return old;
}

template <class T> void combine_as(atomic_op op, std::byte* memory, std::byte* operand, const std::byte* expected) {
    T old, value, compare{};
    std::memcpy(&old, memory, sizeof(T));
    std::memcpy(&value, operand, sizeof(T));
    if (expected) std::memcpy(&compare, expected, sizeof(T));
    const T next = combined(op, old, value, compare);
    std::memcpy(memory, &next, sizeof(T));
    std::memcpy(operand, &old, sizeof(T));
}

}  // namespace detail

// Performs the operation on real bytes; `expected` is read by compare_exchange only.
inline void perform(atomic_op op, operand_type type, std::byte* memory, std::byte* operand, const std::byte* expected) {
    switch (type) {
    case operand_type::u32: return detail::combine_as<std::uint32_t>(op, memory, operand, expected);
    case operand_type::i32: return detail::combine_as<std::int32_t>(op, memory, operand, expected);
    case operand_type::u64: return detail::combine_as<std::uint64_t>(op, memory, operand, expected);
    case operand_type::i64: return detail::combine_as<std::int64_t>(op, memory, operand, expected);
    case operand_type::f32: return detail::combine_as<float>(op, memory, operand, expected);
    case operand_type::f64: return detail::combine_as<double>(op, memory, operand, expected);
    }
}

}  // namespace contraflow::gpu
