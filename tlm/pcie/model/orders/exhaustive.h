// SPDX-License-Identifier: Apache-2.0
// Simulates every order of a problem. Orders with a common beginning share its simulation, and of orders that a
// symmetry of the tree maps to each other only one is simulated.
#pragma once

#include <vector>

#include "pcie/model/orders/order_search.h"
#include "pcie/model/orders/order_space.h"

namespace contraflow::pcie::model {

search_result try_every_order(const order_space& space, std::uint64_t orders, const search_options& options);

}  // namespace contraflow::pcie::model
