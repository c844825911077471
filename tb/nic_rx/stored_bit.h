// SPDX-License-Identifier: Apache-2.0
// A bit that the block stores, for tests that change one: what a particle does to a memory, or many packets to a
// counter.
#pragma once

#include <cstdint>

class VerilatedContext;

namespace contraflow::nic_rx {

struct stored_bit {
    enum class memory : std::uint8_t { packet_buffer, buf_list, counters };
    memory in = memory::packet_buffer;
    unsigned word = 0;  // of 16 bytes, counted from a reset, round and round; an entry; or a counter's place in the
                        // register map, or lost_errors
    unsigned bit = 0;   // of the word; those behind it are its parity, one for each 32 bits
};
inline constexpr unsigned lost_errors = 14;  // behind the counters of the register map
inline constexpr unsigned packet_buffer_bits = 128 + 4;
inline constexpr unsigned buf_list_bits = 256 + 8;

// In a block of that context that was Verilated with stored.vlt, from its RTL or a netlist of it. Throws if what holds
// the bit is not open.
void flip(VerilatedContext& context, const stored_bit& at);

}  // namespace contraflow::nic_rx
