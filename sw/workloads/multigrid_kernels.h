// SPDX-License-Identifier: Apache-2.0
// The kernels of the multigrid workload: -laplace(u) = f on the unit square or cube, u = 0 on its faces, in cells of
// equal size; one level's arrays and what is done on them.
#pragma once

#include <vector>

#include "gpu/array.h"
#include "gpu/task.h"
#include "gpu/wave.h"
#include "workloads/box.h"
#include "workloads/multigrid_spec.h"

namespace contraflow::workloads {

struct multigrid_level {
    box cells;
    gpu::array<double> u, next, f;  // the solution, where a sweep puts it, the right-hand side
    bool gathered = false;          // in the first socket's memory, and worked on there

    double h_squared() const { return 1.0 / static_cast<double>(cells.nx * cells.nx); }
    // Of this level or the next: enough for the sockets that work on this one.
    columns columns_of(const box& b) const { return columns(b, gathered ? 1024 : 4096); }
};

// Each does what falls to one wavefront.
class multigrid_kernels {
public:
    explicit multigrid_kernels(const multigrid_spec& s) : spec_(s) {}

    // Shares of the level's columns.
    gpu::task<> initialise(gpu::wave w, column_share mine, multigrid_level l) const;   // u = next = 0, f of the problem
    gpu::task<> first_sweep(gpu::wave w, column_share mine, multigrid_level l) const;  // u, from u = 0
    gpu::task<> sweep(gpu::wave w, column_share mine, multigrid_level l) const;        // next, from u
    // Shares of the coarse level's columns.
    gpu::task<> restrict_residual(gpu::wave w, column_share mine, multigrid_level fine, multigrid_level coarse) const;
    gpu::task<> prolong(gpu::wave w, column_share mine, multigrid_level fine, multigrid_level coarse) const;
    // A V-cycle from u = 0 on the levels from the k-th on, by one CTA: all its wavefronts, with barriers in between.
    gpu::kernel small_levels(gpu::wave w, const std::vector<multigrid_level>& levels, std::size_t k) const;
    // For it.
    std::uint64_t scratchpad_words(const multigrid_level& coarsest) const { return 3 * coarsest.cells.cells(); }
    // Each leaves its result where the next one looks for it: how often it has swapped u and next.
    unsigned swaps_of_small_levels() const { return spec_.pre - 1 + spec_.post; }

    // f, for which the solution is a product of sines; by place of a cell.
    static double right_hand_side(const box& b, std::uint64_t i);

private:
    gpu::task<> restrict_column(gpu::wave w, column_place place, multigrid_level fine, multigrid_level coarse) const;
    gpu::task<> prolong_column(gpu::wave w, column_place place, multigrid_level fine, multigrid_level coarse) const;
    gpu::task<> solve_coarsest(gpu::wave w, multigrid_level l) const;

    const multigrid_spec spec_;
};

}  // namespace contraflow::workloads
