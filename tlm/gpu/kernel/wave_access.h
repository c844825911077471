// SPDX-License-Identifier: Apache-2.0
// One memory instruction of a wavefront as its executor gets it: an address a lane, before lanes are joined to lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/kernel/mask.h"
#include "memory/transaction/atomic.h"

namespace contraflow::gpu {

enum class access_kind : std::uint8_t { load, store, atomic };

struct wave_access {
    access_kind kind = access_kind::load;
    memory::atomic_op op = memory::atomic_op::none;  // of an atomic, as is the next
    memory::operand_type operand = memory::operand_type::u32;
    std::uint8_t element_bytes = 0;
    bool uncached = false;  // past every copy, from the home
    mask active;
    std::array<std::uint64_t, wave_width> address;  // virtual, of each active lane
    // Loaded or old values, or values to store; packed, 0 in lanes that are not active.
    alignas(8) std::array<std::uint8_t, wave_width * 8> data;
    // What compare_exchange expects, lane after lane at that distance (0: the same for all); null otherwise. Stays
    // where it is until the access is complete.
    const std::uint8_t* expected = nullptr;
    std::size_t expected_stride = 0;

    std::uint8_t* data_of(unsigned lane) { return data.data() + std::size_t{lane} * element_bytes; }
    const std::uint8_t* data_of(unsigned lane) const { return data.data() + std::size_t{lane} * element_bytes; }
    // The operation for one lane.
    memory::atomic_request atomic_of(unsigned lane) const {
        memory::atomic_request r{op, operand, 0};
        if (expected != nullptr) std::memcpy(&r.compare, expected + lane * expected_stride, element_bytes);
        return r;
    }
};

}  // namespace contraflow::gpu
