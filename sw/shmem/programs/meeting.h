// SPDX-License-Identifier: Apache-2.0
// Workgroups of a PE meet: they count themselves in a variable of their GPU, and wait for the count.
#pragma once

#include <cstdint>

#include "gpu/kernel/task.h"
#include "gpu/kernel/wave.h"

namespace contraflow::shmem {

// Every wavefront calls it, and goes on when `count` has become `all`: the workgroups so far, of this meeting and those
// before. What they stored before is visible to all of them. `poll`: instructions between two looks.
gpu::task<> meet(gpu::wave w, gpu::array<std::uint64_t> count, std::uint64_t all, std::uint64_t poll);

}  // namespace contraflow::shmem
