// SPDX-License-Identifier: Apache-2.0
// A box of cells in memory, x fastest, and its division among wavefronts: each takes as many cells as it has threads of
// a line through a few planes, so that it can carry what it has loaded from one plane to the next. Two dimensions are a
// box of ny = 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "gpu/kernel/wave.h"

namespace contraflow::workloads {

struct box {
    std::uint64_t nx = 1;  // cells of a line
    std::uint64_t ny = 1;  // lines of a plane
    std::uint64_t nz = 1;  // planes

    std::uint64_t cells() const { return nx * ny * nz; }
    unsigned dimensions() const { return ny == 1 ? 2 : 3; }
    std::uint64_t at(std::uint64_t x, std::uint64_t y, std::uint64_t z) const { return (z * ny + y) * nx + x; }
};

// The cells from x on, one for each thread of a wavefront, of line y in the planes z to end - 1.
struct column_place {
    std::uint64_t x;
    std::uint64_t y;
    std::uint64_t z;
    std::uint64_t end;
};

// All columns of a box, in the order of memory.
class columns {
public:
    static constexpr std::uint64_t usual_depth = 4;

    // Columns for wavefronts of that width, of at most `deepest` planes; of fewer planes if that would leave fewer than
    // `wanted` columns, so that all sockets have work.
    columns(box b, unsigned width, std::uint64_t wanted, std::uint64_t deepest = usual_depth)
        : box_(b),
          width_(width),
          strips_((b.nx + width - 1) / width),
          depth_(std::clamp<std::uint64_t>(strips_ * b.ny * b.nz / wanted, 1, deepest)) {}

    std::uint64_t count() const { return strips_ * box_.ny * ((box_.nz + depth_ - 1) / depth_); }
    // CTAs that have a wavefront for each column.
    std::uint32_t ctas(std::uint32_t block) const {
        return static_cast<std::uint32_t>((count() * width_ + block - 1) / block);
    }
    column_place operator[](std::uint64_t number) const {
        const std::uint64_t z = number / strips_ / box_.ny * depth_;
        return {number % strips_ * width_, number / strips_ % box_.ny, z, std::min(box_.nz, z + depth_)};
    }

private:
    box box_;
    unsigned width_;
    std::uint64_t strips_;
    std::uint64_t depth_;
};

// The threads of a block whose wavefronts are all whole; a column needs all threads of its wavefront.
inline std::uint32_t whole_waves(std::uint32_t block, unsigned width) { return gpu::blocks_for(block, width) * width; }

// The columns of a wavefront: first, first + stride, ...
struct column_share {
    std::uint64_t first;
    std::uint64_t stride;

    // One column per wavefront, if there are enough wavefronts.
    static column_share of_grid(gpu::wave w) {
        return {w.cta() * w.waves_in_cta() + w.wave_in_cta(), std::numeric_limits<std::uint32_t>::max()};
    }
    // Of each of `groups` equal runs of the grid's CTAs, one CTA in `of` works, the first ones; together they have one
    // column per wavefront. The CTAs are a multiple of both together.
    static column_share of_first_in_groups(gpu::wave w, std::uint64_t groups, std::uint64_t of) {
        const std::uint64_t run = w.cta_count() / groups, working = run / of;
        const std::uint64_t none = std::numeric_limits<std::uint32_t>::max();
        if (w.cta() % run >= working) return {none, none};
        const std::uint64_t cta = w.cta() / run * working + w.cta() % run;
        return {cta * w.waves_in_cta() + w.wave_in_cta(), none};
    }
    // The wavefronts of the CTA share all columns.
    static column_share of_cta(gpu::wave w) { return {w.wave_in_cta(), w.waves_in_cta()}; }
};

}  // namespace contraflow::workloads
