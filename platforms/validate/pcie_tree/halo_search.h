// SPDX-License-Identifier: Apache-2.0
// The exhaustive search behind P8 to P10: halo exchanges of the eight GPUs of T2.
#pragma once

#include <array>

#include "pcie/model/orders/order_search.h"
#include "validate/pcie_tree/pcie_setup.h"

namespace contraflow::validate {

inline constexpr std::array<unsigned, 3> halo_2d_grid{4, 2, 1};
inline constexpr std::array<unsigned, 3> halo_3d_grid{2, 2, 2};
inline constexpr core::bytes halo_send = mib * 300;  // factors do not depend on the size

pcie::model::search_result search_halo(std::array<unsigned, 3> grid, const run_environment& environment);

}  // namespace contraflow::validate
