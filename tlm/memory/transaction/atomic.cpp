// SPDX-License-Identifier: Apache-2.0
#include "memory/transaction/atomic.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace contraflow::memory {
namespace {

template <class T> T combine(atomic_op op, T old, T operand, T compare) {
    switch (op) {
    case atomic_op::add:
        if constexpr (std::is_integral_v<T>) {
            using bits = std::make_unsigned_t<T>;  // wraps, where signed overflow has no meaning
            return static_cast<T>(static_cast<bits>(old) + static_cast<bits>(operand));
        } else {
            return old + operand;
        }
    case atomic_op::min: return std::min(old, operand);
    case atomic_op::max: return std::max(old, operand);
    case atomic_op::exchange: return operand;
    case atomic_op::compare_exchange: return std::memcmp(&old, &compare, sizeof old) == 0 ? operand : old;
    default: break;
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == atomic_op::bit_and) return old & operand;
        if (op == atomic_op::bit_or) return old | operand;
        if (op == atomic_op::bit_xor) return old ^ operand;
    }
    return old;
}

template <class T>
bool perform_as(const atomic_request& what, std::uint8_t* home, std::uint8_t* data, const std::uint8_t* enables,
                unsigned enables_length, unsigned length) {
    if (!is_defined(what.op, what.type) || length % sizeof(T) != 0) return false;
    if (what.op == atomic_op::compare_exchange && length != sizeof(T)) return false;
    T compare;
    std::memcpy(&compare, &what.compare, sizeof compare);
    for (unsigned i = 0; i < length; i += sizeof(T)) {
        if (enables != nullptr && enables[i % enables_length] == 0) continue;
        T old;
        T operand;
        std::memcpy(&old, home + i, sizeof old);
        std::memcpy(&operand, data + i, sizeof operand);
        const T result = combine<T>(what.op, old, operand, compare);
        std::memcpy(home + i, &result, sizeof result);
        std::memcpy(data + i, &old, sizeof old);
    }
    return true;
}

}  // namespace

bool is_defined(atomic_op op, operand_type type) {
    const bool bitwise = op == atomic_op::bit_and || op == atomic_op::bit_or || op == atomic_op::bit_xor;
    return op != atomic_op::none && !(bitwise && (type == operand_type::f32 || type == operand_type::f64));
}

bool perform(const atomic_request& what, std::uint8_t* home, std::uint8_t* data, const std::uint8_t* enables,
             unsigned enables_length, unsigned length) {
    switch (what.type) {
    case operand_type::u32: return perform_as<std::uint32_t>(what, home, data, enables, enables_length, length);
    case operand_type::i32: return perform_as<std::int32_t>(what, home, data, enables, enables_length, length);
    case operand_type::u64: return perform_as<std::uint64_t>(what, home, data, enables, enables_length, length);
    case operand_type::i64: return perform_as<std::int64_t>(what, home, data, enables, enables_length, length);
    case operand_type::f32: return perform_as<float>(what, home, data, enables, enables_length, length);
    case operand_type::f64: return perform_as<double>(what, home, data, enables, enables_length, length);
    }
    return false;
}

}  // namespace contraflow::memory
