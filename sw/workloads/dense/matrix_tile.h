// SPDX-License-Identifier: Apache-2.0
// The square part of a matrix that a CTA keeps in its scratchpad. The CTA has a thread for each element of a few lines,
// and a thread one element in each of several rows: a wavefront is one line of the block, or two.
#pragma once

#include <cstdint>

#include "gpu/kernel/wave.h"

namespace contraflow::workloads {

inline constexpr std::uint32_t tile = 32, tile_lines = 8, rows_a_thread = tile / tile_lines;
static_assert(gpu::wave_block == tile);

// Place of each thread in the CTA's block of tile x tile_lines threads.
struct tile_threads {
    explicit tile_threads(gpu::wave w) : x(w.local_x()), y(w.local_y()) {}

    // The k-th row of each thread.
    gpu::per_thread<std::uint32_t> row(std::uint32_t k) const { return y + k * tile_lines; }

    // Places of each thread's k-th elements of the tile whose upper left corner is (row, column), in a matrix of n
    // columns.
    gpu::per_thread<std::uint64_t> element(std::uint64_t n, std::uint64_t row, std::uint64_t column,
                                           std::uint32_t k) const {
        return gpu::per_thread<std::uint64_t>(row + this->row(k)) * n + column + x;
    }

    gpu::per_thread<std::uint32_t> x, y;
};

}  // namespace contraflow::workloads
