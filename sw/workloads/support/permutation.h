// SPDX-License-Identifier: Apache-2.0
// A pseudo-random permutation of 0 to 2^bits - 1 as a function: kernels and host need no table.
#pragma once

#include <array>
#include <cstdint>

#include "core/random.h"
#include "gpu/kernel/thread_functions.h"

namespace contraflow::workloads {

class permutation {
public:
    permutation(unsigned bits, std::uint64_t seed) : mask_((std::uint64_t{1} << bits) - 1), shift_((bits + 1) / 2) {
        core::random_source random(seed);
        for (auto& r : rounds_) r = {random.next() & mask_, random.next() | 1};
    }

    std::uint64_t size() const { return mask_ + 1; }
    // Each step can be undone: a sum, a product with an odd number, and a shift that leaves the upper half as it is.
    std::uint64_t operator()(std::uint64_t i) const {
        for (const auto& r : rounds_) {
            i = ((i + r.addend) * r.factor) & mask_;
            i ^= i >> shift_;
        }
        return i;
    }
    gpu::per_thread<std::uint64_t> operator()(const gpu::per_thread<std::uint64_t>& i) const {
        return gpu::map([this](std::uint64_t k) { return (*this)(k); }, i);
    }

private:
    struct round {
        std::uint64_t addend;
        std::uint64_t factor;
    };
    std::uint64_t mask_;
    unsigned shift_;
    std::array<round, 4> rounds_;
};

}  // namespace contraflow::workloads
