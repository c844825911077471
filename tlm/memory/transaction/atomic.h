// SPDX-License-Identifier: Apache-2.0
// Read-modify-write operations on real bytes. A transaction that carries one has the command TLM_IGNORE_COMMAND, so a
// target that doesn't know our extension leaves memory unchanged. Its data are adjacent operands, in memory order, at
// its address; byte enables select them; the old values replace them in the response.
#pragma once

#include <cstdint>

namespace contraflow::memory {

enum class atomic_op : std::uint8_t {
    none,
    add,
    min,
    max,
    exchange,
    compare_exchange,  // for a single operand; the extension has the compare value
    bit_and,
    bit_or,
    bit_xor,
};
enum class operand_type : std::uint8_t { u32, i32, u64, i64, f32, f64 };

constexpr unsigned size_of(operand_type t) {
    return t == operand_type::u32 || t == operand_type::i32 || t == operand_type::f32 ? 4 : 8;
}

struct atomic_request {
    atomic_op op = atomic_op::none;
    operand_type type = operand_type::u32;
    std::uint64_t compare = 0;  // the bits of the value, in the operand's size
};

// Whether there is such an operation: bitwise ones are for integers.
bool is_defined(atomic_op op, operand_type type);

// Applies the operation to the `length` bytes at `home`; `data` gives the operands and receives the old values. An
// operand whose first byte is disabled is left alone; without `enables` none is. False if the operation doesn't fit
// the data: a length that is no whole number of operands, several operands to compare, bitwise on floating point.
bool perform(const atomic_request& what, std::uint8_t* home, std::uint8_t* data, const std::uint8_t* enables,
             unsigned enables_length, unsigned length);

}  // namespace contraflow::memory
