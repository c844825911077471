// SPDX-License-Identifier: Apache-2.0
// The part of a workload's parameters with the number of threads of its large kernels.
#pragma once

#include <cstdint>

#include "config/fields.h"

namespace contraflow::workloads {

struct grid_spec {
    std::uint32_t ctas = 512;  // fills 64 units of 2048 threads
    std::uint32_t block = 256;

    template <class S> static void describe_grid(config::fields<S>& f) {
        f("ctas", &grid_spec::ctas).in(1, 1 << 20).text("CTAs of a large kernel");
        f("block", &grid_spec::block).in(32, 1024).unit("threads").text("threads of a CTA");
    }
};

}  // namespace contraflow::workloads
