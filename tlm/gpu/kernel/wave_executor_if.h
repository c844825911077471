// SPDX-License-Identifier: Apache-2.0
// A memory instruction of a wavefront (wave_access), and the machine that executes it (wave_executor_if).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "gpu/kernel/mask.h"
#include "memory/transaction/atomic.h"

namespace contraflow::gpu {

enum class access_kind : std::uint8_t { load, store, atomic };

// As messages and traces name it.
constexpr const char* access_name(access_kind kind) {
    return kind == access_kind::load ? "load" : kind == access_kind::store ? "store" : "atomic";
}

// One memory instruction of a wavefront as its executor gets it: an address for each thread, before coalescing.
struct wave_access {
    access_kind kind = access_kind::load;
    memory::atomic_op op = memory::atomic_op::none;  // for an atomic, like the next member
    memory::operand_type operand = memory::operand_type::u32;
    std::uint8_t element_bytes = 0;
    bool uncached = false;  // from the home, not from copies
    mask active;
    std::array<std::uint64_t, max_wave_width> address;  // virtual, of each active thread
    // Loaded or old values, or values to store; packed, 0 in threads that are not active.
    alignas(8) std::array<std::uint8_t, max_wave_width * 8> data;
    // The operands of compare_exchange, thread after thread at that distance (0: the same for all); null otherwise.
    // They stay in place until the access is complete.
    const std::uint8_t* expected = nullptr;
    std::size_t expected_stride = 0;

    // ---- how far it is, for its executor
    bool begun = false;        // some request of it is sent
    bool sent = false;         // all are
    bool complete = false;     // a store: sent; others: have their values
    bool awaited = false;      // its wavefront waits for that
    bool in_row = false;       // the threads are neighbours, and so are their elements, in the same order
    unsigned missing = 0;      // requests sent and not answered
    std::uint64_t number = 0;  // of a load: among those of its wavefront, from 1; 0: not begun
    std::uint64_t ticket = 0;  // of a load: differs with each use of this place
    // The first byte that a thread touches, and the one after the last; `end` 0: not known yet.
    std::uint64_t begin = 0, end = 0;

    std::uint8_t* data_of(unsigned thread) { return data.data() + std::size_t{thread} * element_bytes; }
    const std::uint8_t* data_of(unsigned thread) const { return data.data() + std::size_t{thread} * element_bytes; }
    // The operation for one thread.
    memory::atomic_request atomic_of(unsigned thread) const {
        memory::atomic_request r{op, operand, 0};
        if (expected != nullptr) std::memcpy(&r.compare, expected + thread * expected_stride, element_bytes);
        return r;
    }
};

class wave_context;

// A compute unit with its timing, or the ideal machine. True: done at once, and the coroutine continues. False: it
// stays suspended until the executor resumes it later.
class wave_executor_if {
public:
    virtual ~wave_executor_if() = default;
    // Loads, after so many cycles of work. The wavefront goes on at once; they stay in place until they are complete.
    virtual void begin_loads(wave_context& wave, std::span<wave_access* const> loads, std::uint64_t work) = 0;
    // A use of these loads' values.
    virtual bool wait(wave_context& wave, std::span<wave_access* const> loads) = 0;
    // Stores and atomic operations. All of them may be outstanding together.
    virtual bool begin_accesses(wave_context& wave, std::span<wave_access> accesses) = 0;
    virtual bool barrier(wave_context& wave) = 0;
    // All stores of this wavefront are visible to others.
    virtual bool fence(wave_context& wave) = 0;
    virtual bool compute(wave_context& wave, std::uint64_t cycles) = 0;
};

}  // namespace contraflow::gpu
