// SPDX-License-Identifier: Apache-2.0
// Copies between a payload's data and memory, as its byte enables say.
#pragma once

#include <cstdint>
#include <cstring>

#include <tlm>

namespace contraflow::memory {

// Byte enables of 0 or 0xff, repeated when they are fewer than the bytes; none: everything.
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
