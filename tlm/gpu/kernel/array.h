// SPDX-License-Identifier: Apache-2.0
// A handle to elements in device memory: their virtual address and their number.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "memory/transaction/atomic.h"

namespace contraflow::gpu {

// The types that one thread can move in one access.
template <class T>
concept element = std::is_trivially_copyable_v<T> &&
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

template <class T> class array {
    static_assert(element<T>, "a thread moves a trivially copyable value of 1, 2, 4 or 8 bytes");

public:
    using value_type = T;

    array() = default;
    array(std::uint64_t address, std::size_t count) : address_(address), count_(count) {}

    std::uint64_t address() const { return address_; }
    std::uint64_t address(std::size_t i) const { return address_ + i * sizeof(T); }
    std::size_t size() const { return count_; }
    // A part of it.
    array slice(std::size_t begin, std::size_t count) const { return {address(begin), count}; }

private:
    std::uint64_t address_ = 0;
    std::size_t count_ = 0;
};

// The types an atomic operation works on, and how a transaction names them.
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
