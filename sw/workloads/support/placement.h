// SPDX-License-Identifier: Apache-2.0
// The places of data and of work. Both follow from contiguous scheduling: the first run of a grid's CTAs is on the
// first socket, and a page stays with the socket that touches it first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/kernel/array.h"
#include "gpu/kernel/gpu_system_if.h"
#include "gpu/kernel/wave.h"

namespace contraflow::workloads {

// Touches every page of fresh memory from one CTA, so that all of it lies in the first socket's memory.
gpu::host_task place_at_first_socket(gpu::gpu_system_if& gpu, gpu::array<std::uint32_t> words);
template <class T> gpu::host_task place_at_first_socket(gpu::gpu_system_if& gpu, gpu::array<T> a) {
    return place_at_first_socket(gpu, gpu::array<std::uint32_t>(a.address(), a.size() * sizeof(T) / 4));
}

struct run_of_indices {
    std::uint64_t begin;
    std::uint64_t end;
};

// The range of 0 to n-1 in one of `parts` equal parts; the last ones may be short or empty.
inline run_of_indices part_of(std::uint64_t n, std::uint64_t part, std::uint64_t parts) {
    const std::uint64_t length = (n + parts - 1) / parts;
    return {std::min(n, part * length), std::min(n, (part + 1) * length)};
}

// The part of the CTA that `w` belongs to when the first `ctas` of the grid share the work, and the others have none.
inline run_of_indices part_of(std::uint64_t n, gpu::wave w, std::uint64_t ctas) {
    return w.cta() < ctas ? part_of(n, w.cta(), ctas) : run_of_indices{n, n};
}

}  // namespace contraflow::workloads
