// SPDX-License-Identifier: Apache-2.0
// The types an atomic operation works on, and how a transaction names them.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "memory/transaction/atomic.h"

namespace contraflow::gpu {

template <class T>
concept atomic_element =
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

template <atomic_element T> constexpr memory::operand_type operand_type_of() {
    if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? memory::operand_type::f32 : memory::operand_type::f64;
    else if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 4 ? memory::operand_type::i32 : memory::operand_type::i64;
    else
        return sizeof(T) == 4 ? memory::operand_type::u32 : memory::operand_type::u64;
}

}  // namespace contraflow::gpu
