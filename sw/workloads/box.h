// SPDX-License-Identifier: Apache-2.0
// A box of cells in memory, x fastest, and its division among wavefronts: each takes 32 cells of a line through a few
// planes, so that it can carry what it has loaded from one plane to the next. Two dimensions are a box of ny = 1.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/wave.h"

namespace contraflow::workloads {

struct box {
    std::uint64_t nx = 1;  // cells of a line
    std::uint64_t ny = 1;  // lines of a plane
    std::uint64_t nz = 1;  // planes

    std::uint64_t cells() const { return nx * ny * nz; }
    unsigned dimensions() const { return ny == 1 ? 2 : 3; }
    std::uint64_t at(std::uint64_t x, std::uint64_t y, std::uint64_t z) const { return (z * ny + y) * nx + x; }
};

// What one wavefront does: the cells x to x + 31 of line y in the planes z to end - 1.
struct column_place {
    std::uint64_t x;
    std::uint64_t y;
    std::uint64_t z;
    std::uint64_t end;
};

// Columns in the order of memory; wavefront after wavefront, CTA after CTA takes one.
class columns {
public:
    // Columns of at most `deepest` planes, of fewer where there would not be many columns.
    explicit columns(box b, std::uint64_t deepest = 8)
        : box_(b),
          strips_((b.nx + gpu::wave_width - 1) / gpu::wave_width),
          depth_(std::clamp<std::uint64_t>(strips_ * b.ny * b.nz / enough, 1, deepest)) {}

    std::uint64_t count() const { return strips_ * box_.ny * ((box_.nz + depth_ - 1) / depth_); }
    std::uint32_t ctas(std::uint32_t block) const {
        return static_cast<std::uint32_t>((count() * gpu::wave_width + block - 1) / block);
    }
    // None for the wavefronts beyond the last column: z == end.
    column_place of(gpu::wave w) const {
        const std::uint64_t number = w.cta() * w.waves_in_cta() + w.wave_in_cta();
        if (number >= count()) return {0, 0, 0, 0};
        const std::uint64_t z = number / strips_ / box_.ny * depth_;
        return {number % strips_ * gpu::wave_width, number / strips_ % box_.ny, z, std::min(box_.nz, z + depth_)};
    }

private:
    static constexpr std::uint64_t enough = 1024;  // columns that keep a socket's units busy

    box box_;
    std::uint64_t strips_;
    std::uint64_t depth_;
};

}  // namespace contraflow::workloads
