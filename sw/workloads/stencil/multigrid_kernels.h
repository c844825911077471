// SPDX-License-Identifier: Apache-2.0
// The kernels of the multigrid workload: -laplace(u) = f on the unit square or cube, u = 0 on its faces, in cells of
// equal size; one level's arrays and the kernels on them.
#pragma once

#include <vector>

#include "gpu/kernel/array.h"
#include "gpu/kernel/task.h"
#include "gpu/kernel/wave.h"
#include "workloads/physics/box.h"
#include "workloads/stencil/multigrid_spec.h"

namespace contraflow::workloads {

struct multigrid_level {
    box cells;
    gpu::array<double> u, next, f;  // the solution, a sweep's output, the right-hand side
    bool gathered = false;          // in the memory of some sockets, and processed there
    unsigned holders = 1;           // of a gathered level: those sockets, each the first of an equal run of sockets

    double h_squared() const { return 1.0 / static_cast<double>(cells.nx * cells.nx); }
    // Enough columns for the sockets that work on this level, for wavefronts of that width.
    columns own_columns(unsigned width) const { return {cells, width, wanted()}; }
    // Columns of this level with the half as many cells of the next level below them, by the lines and planes of the
    // next level. They are deeper on the way up, where the planes that two columns share come from another socket.
    columns columns_down(const multigrid_level& coarse, unsigned width) const {
        return {shared_with(coarse), width, wanted()};
    }
    columns columns_up(const multigrid_level& coarse, unsigned width) const {
        return {shared_with(coarse), width, wanted(), 2 * columns::usual_depth};
    }

private:
    box shared_with(const multigrid_level& coarse) const { return {cells.nx, coarse.cells.ny, coarse.cells.nz}; }
    std::uint64_t wanted() const { return gathered ? 1024 * std::uint64_t{holders} : 4096; }
};

// Each function does one wavefront's share.
class multigrid_kernels {
public:
    explicit multigrid_kernels(const multigrid_spec& s) : spec_(s) {}

    // Shares of the level's columns.
    gpu::task<> initialise(gpu::wave w, column_share mine, multigrid_level l) const;   // f of the problem
    gpu::task<> first_sweep(gpu::wave w, column_share mine, multigrid_level l) const;  // u, from u = 0
    gpu::task<> sweep(gpu::wave w, column_share mine, multigrid_level l) const;        // next, from u
    // Shares of the columns that both have in common, down and up.
    gpu::task<> restrict_residual(gpu::wave w, column_share mine, multigrid_level fine, multigrid_level coarse) const;
    gpu::task<> prolong(gpu::wave w, column_share mine, multigrid_level fine, multigrid_level coarse) const;
    // A V-cycle from u = 0 on the levels from the k-th on, by one CTA: all its wavefronts, with barriers in between.
    gpu::kernel small_levels(gpu::wave w, const std::vector<multigrid_level>& levels, std::size_t k) const;
    // For the V-cycle by one CTA.
    std::uint64_t scratchpad_words(const multigrid_level& coarsest) const { return 3 * coarsest.cells.cells(); }
    // Each kernel leaves its result where the next one reads it: this counts the swaps of u and next.
    unsigned swaps_of_small_levels() const { return spec_.pre - 1 + spec_.post; }

    // f, for which the solution is a product of sines; by position of a cell.
    static double right_hand_side(const box& b, std::uint64_t i);

private:
    gpu::task<> restrict_column(gpu::wave w, column_place place, multigrid_level fine, multigrid_level coarse) const;
    gpu::task<> prolong_column(gpu::wave w, column_place place, multigrid_level fine, multigrid_level coarse) const;
    gpu::task<> solve_coarsest(gpu::wave w, multigrid_level l) const;

    const multigrid_spec spec_;
};

}  // namespace contraflow::workloads
