// SPDX-License-Identifier: Apache-2.0
// Programs on 2^bits elements in place, stage by stage on pairs of elements that are a distance apart: their common
// parameters, and the pair of each thread.
#pragma once

#include <cstdint>

#include "gpu/kernel/per_thread.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {

struct butterfly_spec : thread_spec {
    unsigned bits = 15;
    std::uint64_t seed = 1;

    std::uint64_t elements() const { return std::uint64_t{1} << bits; }
    // `elements`, `of`: the texts of the keys.
    template <class S>
    static void describe_butterfly(config::fields<S>& f, const char* elements, const char* of, unsigned least = 1) {
        f("bits", &butterfly_spec::bits).in(least, 28).text(elements);
        f("seed", &butterfly_spec::seed).text(of);
        describe_threads(f);
    }
};

// The n-th pair of elements at that distance (a power of two).
struct butterfly {
    butterfly(const gpu::per_thread<std::uint64_t>& n, std::uint64_t apart)
        : low(n / apart * (2 * apart) + n % apart),
          high(low + apart) {}
    gpu::per_thread<std::uint64_t> low, high;
};

}  // namespace contraflow::workloads
