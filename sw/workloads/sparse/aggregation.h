// SPDX-License-Identifier: Apache-2.0
// The levels of an algebraic multigrid: each joins neighbouring unknowns of the previous level into aggregates, whose
// equations are the sums of their members' equations. Source: Vanek, Mandel, Brezina: Algebraic Multigrid by Smoothed
// Aggregation, Computing 56, 1996; here without the smoothing.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/sparse/sparse_matrix.h"

namespace contraflow::workloads {

struct aggregation_level {
    csr_matrix matrix;
    std::vector<double> inverse_diagonal;
    // Towards the next, coarser level; empty on the coarsest.
    std::vector<std::uint32_t> aggregate;     // by unknown
    std::vector<std::uint32_t> member_begin;  // by aggregate
    std::vector<std::uint32_t> member;
};

// The finest level is first. The coarsest has at most `coarsest` unknowns, or none that can still be joined.
std::vector<aggregation_level> aggregate_levels(csr_matrix finest, std::uint32_t coarsest);

// The seven-point Laplacian of a cube of side^3 points; shuffled: its unknowns are numbered at random.
csr_matrix cube_laplacian(std::uint32_t side, bool shuffled, std::uint64_t seed);

inline constexpr double jacobi_damping = 0.8;

// The host's V-cycle for matrix x = b from x = 0, and `cycles` of them, each on the previous residual.
std::vector<double> solve_by_aggregation(const std::vector<aggregation_level>& levels, const std::vector<double>& b,
                                         unsigned cycles, unsigned sweeps, unsigned bottom_sweeps);

}  // namespace contraflow::workloads
