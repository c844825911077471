// SPDX-License-Identifier: Apache-2.0
// The vertices that a round of a search works on, and those that it finds for the next round: two queues in device
// memory that swap their roles.
#pragma once

#include <cstdint>
#include <utility>

#include "gpu/kernel/array.h"
#include "gpu/kernel/device_memory.h"
#include "gpu/kernel/task.h"
#include "gpu/kernel/thread_functions.h"
#include "gpu/kernel/wave.h"

namespace contraflow::workloads {

class frontier {
public:
    frontier() = default;
    frontier(gpu::device_memory& memory, std::uint32_t vertices)
        : queue_(memory.allocate<std::uint32_t>(vertices)),
          found_(memory.allocate<std::uint32_t>(vertices)),
          found_count_(memory.allocate<std::uint32_t>(1)) {}

    // --- for the host program
    void begin_with(gpu::device_memory& memory, std::uint32_t vertex) {
        memory.write(queue_, 0, vertex);
        size_ = 1;
    }
    std::uint32_t size() const { return size_; }  // vertices of this round
    void begin_round(gpu::device_memory& memory) { memory.write(found_count_, 0, 0u); }
    void end_round(gpu::device_memory& memory) {
        size_ = memory.read(found_count_, 0);
        std::swap(queue_, found_);
    }

    // --- for the kernel of a round
    const gpu::array<std::uint32_t>& vertices() const { return queue_; }
    // Adds vertices to the next round, by one atomic addition for all that the wavefront has found.
    gpu::task<> add(gpu::wave w, gpu::per_thread<std::uint32_t> found, gpu::mask which) const {
        const auto base = co_await w.atomic_add(found_count_, 0, which.count(), gpu::mask::thread(0));
        const auto offset = exclusive_sum(gpu::per_thread<std::uint32_t>(1u), which);
        co_await w.store(found_, offset + base[0], found, which);
    }

private:
    gpu::array<std::uint32_t> queue_, found_, found_count_;
    std::uint32_t size_ = 0;
};

}  // namespace contraflow::workloads
