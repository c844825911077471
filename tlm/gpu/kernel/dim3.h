// SPDX-License-Identifier: Apache-2.0
// The size of a grid or block and a place in it; x runs fastest.
#pragma once

#include <cstdint>

namespace contraflow::gpu {

struct dim3 {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;

    constexpr dim3() = default;
    constexpr dim3(std::uint32_t x_size, std::uint32_t y_size = 1, std::uint32_t z_size = 1)  // NOLINT: a number is 1D
        : x(x_size),
          y(y_size),
          z(z_size) {}

    constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    // The place that has this number, x fastest.
    constexpr dim3 place(std::uint64_t number) const {
        return {static_cast<std::uint32_t>(number % x), static_cast<std::uint32_t>(number / x % y),
                static_cast<std::uint32_t>(number / x / y)};
    }
    friend constexpr bool operator==(const dim3&, const dim3&) = default;
};

// How many blocks of that size cover n threads.
constexpr std::uint32_t blocks_for(std::uint64_t n, std::uint32_t block) {
    return static_cast<std::uint32_t>((n + block - 1) / block);
}

}  // namespace contraflow::gpu
