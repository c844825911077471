// SPDX-License-Identifier: Apache-2.0
// The kernels of the multigrid workload: -laplace(u) = f on the unit square or cube, u = 0 on its faces, in cells of
// equal size; one level's arrays and what is done on them.
#pragma once

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
};

class multigrid_kernels {
public:
    explicit multigrid_kernels(const multigrid_spec& s) : spec_(s) {}

    // The wavefronts of these three go through the level's columns.
    gpu::kernel initialise(gpu::wave w, multigrid_level l) const;   // u = next = 0, f of the problem
    gpu::kernel first_sweep(gpu::wave w, multigrid_level l) const;  // from u = 0
    gpu::kernel sweep(gpu::wave w, multigrid_level l) const;        // next from u
    // Of these through the coarse level's columns, on the fine level's sockets.
    gpu::kernel restrict_residual(gpu::wave w, multigrid_level fine, multigrid_level coarse) const;
    gpu::kernel prolong(gpu::wave w, multigrid_level fine, multigrid_level coarse) const;
    // One CTA, in its scratchpad: from u = 0.
    gpu::kernel solve_coarsest(gpu::wave w, multigrid_level l) const;
    std::uint64_t scratchpad_words(const multigrid_level& l) const { return 3 * l.cells.cells(); }

    // f, for which the solution is a product of sines; by place of a cell.
    static double right_hand_side(const box& b, std::uint64_t i);

private:
    const multigrid_spec spec_;
};

}  // namespace contraflow::workloads
