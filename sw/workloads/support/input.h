// SPDX-License-Identifier: Apache-2.0
// Input data as a function of its index, so that kernels can write it on the right socket and the host can compute it
// too.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "gpu/kernel/thread_functions.h"

namespace contraflow::workloads {

constexpr std::uint64_t input_word(std::uint64_t seed, std::uint64_t i) {
    return core::mix64(seed + (i + 1) * core::golden_gamma);
}
// Uniform in (0, 1].
constexpr double input_real(std::uint64_t seed, std::uint64_t i) {
    return core::random_source(seed ^ core::mix64(i)).unit();
}

inline gpu::per_thread<std::uint64_t> input_word(std::uint64_t seed, const gpu::per_thread<std::uint64_t>& i) {
    return gpu::map([seed](std::uint64_t k) { return input_word(seed, k); }, i);
}
inline gpu::per_thread<double> input_real(std::uint64_t seed, const gpu::per_thread<std::uint64_t>& i) {
    return gpu::map([seed](std::uint64_t k) { return input_real(seed, k); }, i);
}

}  // namespace contraflow::workloads
