// SPDX-License-Identifier: Apache-2.0
// Halo exchanges on grids of GPUs, not periodic: every GPU sends to its neighbours.
#pragma once

#include <array>

#include "pcie/model/orders/order_problem.h"
#include "trees.h"

namespace contraflow::pcie::model::test {

// GPU x + nx * (y + ny * z) sends to its neighbours along x, y and z, in ascending order.
inline order_problem halo(const topology& tree, unsigned nx, unsigned ny, unsigned nz = 1,
                          core::bytes size = {300ULL << 20}) {
    order_problem problem;
    const std::array<unsigned, 3> shape{nx, ny, nz};
    const std::array<unsigned, 3> stride{1, nx, nx * ny};
    for (unsigned i = 0; i < nx * ny * nz; ++i) {
        source_sends source{gpu(tree, i), {}};
        for (unsigned j = 0; j < nx * ny * nz; ++j)
            for (unsigned axis = 0; axis < 3; ++axis) {
                const unsigned place = std::min(i, j) / stride[axis] % shape[axis];
                if (std::max(i, j) - std::min(i, j) == stride[axis] && place + 1 < shape[axis])
                    source.sends.push_back({gpu(tree, j), size});
            }
        problem.push_back(std::move(source));
    }
    return problem;
}

}  // namespace contraflow::pcie::model::test
