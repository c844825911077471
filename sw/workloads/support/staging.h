// SPDX-License-Identifier: Apache-2.0
// Constants of a kernel - filter taps, tables, centres - copied to the scratchpad by all wavefronts of a CTA together.
#pragma once

#include <span>

#include "gpu/kernel/task.h"
#include "gpu/kernel/wave.h"

namespace contraflow::workloads {

// Copies `from` to the first elements of `to`. Every wavefront of the CTA awaits it, and finds all elements afterwards.
template <class T> gpu::task<> stage(gpu::wave w, gpu::array<T> from, std::span<T> to) {
    for (std::uint64_t first = 0; first < from.size(); first += w.block().count()) {
        const auto i = w.local_ids() + first;
        if (auto in = w.only(i < from.size())) w.write(to, i, co_await w.load(from, i));
    }
    co_await w.barrier();
}

}  // namespace contraflow::workloads
