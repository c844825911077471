// SPDX-License-Identifier: Apache-2.0
// What a wavefront runs on: a compute unit with its timing, or the ideal machine. True: done at once, the coroutine
// goes on; false: it stays suspended until the executor resumes the wavefront's coroutine stack, later and from
// outside.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/kernel/wave_access.h"

namespace contraflow::gpu {

class wave_context;

class wave_executor_if {
public:
    virtual ~wave_executor_if() = default;
    // All of them may be under way together.
    virtual bool begin_accesses(wave_context& wave, std::span<wave_access> accesses) = 0;
    virtual bool barrier(wave_context& wave) = 0;
    // Everything this wavefront stored is where others find it.
    virtual bool fence(wave_context& wave) = 0;
    virtual bool compute(wave_context& wave, std::uint64_t cycles) = 0;
};

}  // namespace contraflow::gpu
