// SPDX-License-Identifier: Apache-2.0
// The instructions of a wavefront: accesses with an address for each thread, barriers, fences, and the cycles of work
// between. Addresses are offsets into allocations, so a trace does not depend on where these are placed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/kernel/mask.h"
#include "gpu/kernel/wave_executor_if.h"
#include "memory/transaction/atomic.h"

namespace contraflow::traces {

struct access {
    gpu::access_kind kind = gpu::access_kind::load;
    bool uncached = false;  // for loads
    memory::atomic_op op = memory::atomic_op::none;
    memory::operand_type operand = memory::operand_type::u32;
    std::uint8_t element_bytes = 4;
    gpu::mask active = gpu::mask::first(gpu::default_wave_width);  // one thread at least
    std::uint32_t array = 0;                                       // by the order of allocation
    std::array<std::uint64_t, gpu::max_wave_width> offset{};       // in bytes, for each active thread; 0 for the others

    bool operator==(const access&) const = default;
};

enum class step_kind : std::uint8_t {
    accesses,  // and a wait until they are complete
    barrier,
    fence,
    compute,
    loads,  // the wavefront goes on without them
    use,    // a wait for such loads
};

struct step {
    step_kind kind = step_kind::barrier;
    std::uint64_t work = 0;           // cycles that are charged with this instruction
    std::uint64_t cycles = 0;         // cycles of compute
    std::vector<access> accesses;     // more than one: under way together
    std::vector<std::uint64_t> used;  // how many loads ago each of them began; 1: the last one

    bool operator==(const step&) const = default;
};

}  // namespace contraflow::traces
