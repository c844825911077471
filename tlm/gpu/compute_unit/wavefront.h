// SPDX-License-Identifier: Apache-2.0
// A wavefront slot of a compute unit: the wavefront's context and how far its current instruction is.
#pragma once

#include <cstdint>
#include <span>

#include "core/units.h"
#include "gpu/kernel/wave_context.h"

namespace contraflow::gpu {

enum class wave_state : std::uint8_t {
    free,
    starting,
    memory_issue,  // waits for its issue slot, as do the next three
    compute,
    barrier_issue,
    fence_issue,
    memory,          // in the load/store unit
    barrier_stores,  // at a barrier or fence, or at its end, until its stores are answered
    fence_stores,
    end_stores,
    barrier,
};

class wavefront : public wave_context {
public:
    explicit wavefront(unsigned slot) : slot_(slot) {}
    unsigned slot() const { return slot_; }

    wave_state state = wave_state::free;
    unsigned cta_slot = 0;
    unsigned scheduler = 0;
    core::sim_time since{};  // in that state

    // ---- for the load/store unit
    std::span<wave_access> accesses;  // the instruction's
    std::size_t sending = 0;          // the access whose lines are being sent
    mask left;                        // threads of it that are not in a request yet
    unsigned answers_missing = 0;     // line requests the instruction waits for
    unsigned stores_missing = 0;      // stores sent and not answered, of all instructions so far
    unsigned uncached_stores = 0;     // those of them to pages that are not cached
    bool waits_for_store = false;     // for one of these, to the bytes that it will load next
    wavefront* next = nullptr;        // in the unit's queue

private:
    unsigned slot_;
};

}  // namespace contraflow::gpu
