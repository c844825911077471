// SPDX-License-Identifier: Apache-2.0
// Grids of CTAs: sizes and places in them (dim3), runs of CTAs by their flattened numbers (cta_run), and the part of a
// kernel's grid that a dispatcher is given to run (grid_part).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/units.h"
#include "gpu/kernel/work_part.h"

namespace contraflow::gpu {

// The size of a grid or block and a place in it; x runs fastest.
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

// The wavefronts of a block; the last one has fewer threads if the block is not a multiple of their width.
constexpr unsigned waves_of(dim3 block, unsigned wave_width) {
    return static_cast<unsigned>((block.count() + wave_width - 1) / wave_width);
}

// A contiguous run of a grid's CTAs by their flattened numbers, and how a grid is cut into such runs.
struct cta_run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    constexpr std::uint64_t count() const { return end - begin; }
    constexpr bool empty() const { return begin == end; }
    friend constexpr bool operator==(const cta_run&, const cta_run&) = default;
};

// One of `parts` runs of equal length within one CTA: the first (count mod parts) have one more.
constexpr cta_run part_of(const cta_run& whole, std::uint64_t part, std::uint64_t parts) {
    const std::uint64_t each = whole.count() / parts;
    const std::uint64_t longer = whole.count() % parts;
    const std::uint64_t begin = whole.begin + part * each + std::min(part, longer);
    return {begin, begin + each + (part < longer ? 1 : 0)};
}

class kernel_launch;

// A kernel and the run of its CTAs that a dispatcher is given. A dispatcher has one part of a kernel at a time.
class grid_part : public work_part {
public:
    // The kernel must live until end(); the run must not be empty.
    grid_part(const kernel_launch& k, cta_run run) : kernel_(&k), run_(run) {}

    const kernel_launch& of() const { return *kernel_; }
    cta_run run() const { return run_; }

    core::sim_time begun{};     // its first CTA may start; 0 on a machine without time
    core::sim_time ended_at{};  // when all of it had ended

protected:
    ~grid_part() = default;

private:
    const kernel_launch* kernel_;
    cta_run run_;
};

}  // namespace contraflow::gpu
