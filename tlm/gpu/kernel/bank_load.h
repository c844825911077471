// SPDX-License-Identifier: Apache-2.0
// How long the banks of a scratchpad take for one access of a wavefront. A bank gives one word of 4 bytes a cycle, to
// all threads that name it; neighbouring words are in neighbouring banks. Source: GCN3 Instruction Set Architecture,
// AMD 2016, section 11.1; NVIDIA's CUDA C++ Programming Guide says the same of shared memory.
#pragma once

#include <cstdint>

#include "gpu/kernel/per_thread.h"

namespace contraflow::gpu {

inline constexpr unsigned max_banks = 64;

struct bank_load {
    unsigned cycles = 0;  // distinct words of the bank that has most of them
    unsigned least = 0;   // that as many words would take if all banks had equally many
    friend bool operator==(const bank_load&, const bank_load&) = default;
};

// Of the threads' elements of so many bytes, from these bytes of the scratchpad on. `banks`: a power of two.
bank_load load_of_banks(const per_thread<std::uint32_t>& first_byte, mask threads, unsigned bytes, unsigned banks);

}  // namespace contraflow::gpu
