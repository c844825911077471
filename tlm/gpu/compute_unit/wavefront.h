// SPDX-License-Identifier: Apache-2.0
// A wavefront slot of a compute unit: the wavefront's context and how far its accesses are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/units.h"
#include "gpu/compute_unit/coalescer.h"
#include "gpu/kernel/wave_context.h"

namespace contraflow::gpu {

enum class wave_state : std::uint8_t {
    free,
    starting,
    memory,   // its accesses wait for their issue, or are in the load/store unit
    compute,  // waits for its issue slot, as do the next two
    barrier_issue,
    fence_issue,
    barrier_accesses,  // at a barrier or fence, or at its end, until its loads and stores are answered
    fence_accesses,
    end_accesses,
    barrier,
};

class wavefront;

// Instructions of a wavefront that wait for their code or for their scheduler, and what comes when they are issued.
struct issue_step {
    enum class then : std::uint8_t { nothing, wave, memory, arguments };
    then next = then::nothing;
    std::uint64_t left = 0;    // instructions
    unsigned instruction = 0;  // memory_instruction, for then::memory
};

// The lines of code that a wavefront has, or has asked for: the one that it executes and those after it.
struct instruction_buffer {
    std::uint64_t code = 0;  // of its kernel; physical
    std::uint64_t next = 0;  // within that: the next line to be asked for
    std::uint32_t first =
        0;  // number of the line that it executes; numbers go on from wavefront to wavefront of a slot
    std::uint32_t asked = 0;
    std::uint32_t here = 0;  // bit i: line first + i has arrived
    unsigned used = 0;       // instructions of the first line that are issued
    bool issuing = false;    // some of them wait for their scheduler's time
    core::sim_time starved_since{};
    bool starved = false;  // the line has not arrived
};

// Accesses of a wavefront that were begun together.
struct memory_instruction {
    unsigned number = 0;  // in the load/store unit
    wavefront* wave = nullptr;
    std::vector<wave_access*> accesses;
    core::sim_time since{};              // in the load/store unit
    std::size_t sending = 0;             // the access whose lines are being sent
    mask left;                           // threads of it that are not in a request yet
    line_request line;                   // the next one of these; without a thread: not known yet
    memory_instruction* next = nullptr;  // in the unit's queue, or of those that its wavefront holds back
};

class wavefront : public wave_context {
public:
    explicit wavefront(unsigned slot) : slot_(slot) {}
    unsigned slot() const { return slot_; }

    // A CTA's wavefront begins in this slot.
    void reset(unsigned cta) {
        cta_slot = cta;
        waits = stores_missing = uncached_stores = uncached_loads = loads_sent = 0;
        loads.clear();
        held = last_held = trying = nullptr;
        steps.clear();
        buffer.first += buffer.asked;
        buffer.asked = buffer.here = buffer.used = 0;
        buffer.issuing = buffer.starved = false;
    }
    bool answered() const { return stores_missing == 0 && loads.empty(); }

    wave_state state = wave_state::free;
    unsigned cta_slot = 0;
    unsigned scheduler = 0;
    core::sim_time since{};  // in that state

    unsigned waits = 0;  // accesses that must be complete before its coroutine continues

    // ---- if instructions are fetched
    std::deque<issue_step> steps;  // in their order
    instruction_buffer buffer;
    unsigned arguments_missing = 0;  // lines

    // ---- for the load/store unit
    std::vector<wave_access*> loads;  // that are not complete: its scoreboard
    unsigned loads_sent = 0;          // those of them that have sent a request
    unsigned uncached_loads = 0;      // those of them that are not satisfied by copies
    unsigned stores_missing = 0;      // stores sent and not answered
    unsigned uncached_stores = 0;     // those of them to pages that are not cached
    // Instructions that wait for an earlier access of this wavefront, the oldest first, and the one that tries again.
    memory_instruction* held = nullptr;
    memory_instruction* last_held = nullptr;
    memory_instruction* trying = nullptr;

private:
    unsigned slot_;
};

}  // namespace contraflow::gpu
