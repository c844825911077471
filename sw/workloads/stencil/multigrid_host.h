// SPDX-License-Identifier: Apache-2.0
// The same multigrid method on the host, written for grids with a border of cells beyond the faces.
#pragma once

#include <vector>

#include "workloads/stencil/multigrid_spec.h"

namespace contraflow::workloads {

class multigrid_host {
public:
    explicit multigrid_host(const multigrid_spec& s) : spec_(s) {}

    // The approximate solution after all cycles, without the border, like the kernels' arrays.
    std::vector<double> solve() const;
    // The largest |f - A u| of the finest level.
    double residual_norm(const std::vector<double>& u) const;

private:
    const multigrid_spec spec_;
};

}  // namespace contraflow::workloads
