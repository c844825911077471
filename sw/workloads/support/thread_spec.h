// SPDX-License-Identifier: Apache-2.0
// The part of a workload's parameters that divides elements among threads. With few for each, the CTAs under way
// work on neighbouring elements and go through memory together, row by row of the DRAM.
#pragma once

#include <cstdint>

#include "config/fields.h"
#include "gpu/kernel/grid.h"

namespace contraflow::workloads {

struct thread_spec {
    std::uint32_t block = 256;
    std::uint32_t per_thread = 1;

    std::uint32_t ctas_for(std::uint64_t elements) const { return gpu::blocks_for(elements, block * per_thread); }

    template <class S> static void describe_threads(config::fields<S>& f) {
        f("block", &thread_spec::block).in(32, 1024).unit("threads").text("threads of a CTA");
        f("per_thread", &thread_spec::per_thread)
            .in(1, 1 << 16)
            .unit("elements")
            .text("elements that a thread goes through");
    }
};

}  // namespace contraflow::workloads
