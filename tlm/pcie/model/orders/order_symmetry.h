// SPDX-License-Identifier: Apache-2.0
// Symmetries of a problem of orders: permutations of the tree's nodes that map links to equal links and the sends to
// equal sends. Two orders that a symmetry maps to each other take the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "pcie/model/network.h"
#include "pcie/model/orders/order_problem.h"

namespace contraflow::pcie::model {

struct order_symmetry {
    std::vector<std::uint32_t> source;             // source of the problem to its image
    std::vector<std::vector<std::uint32_t>> send;  // by source: send to its image's send
};

send_order image(const order_symmetry& symmetry, const send_order& order);

// All of them, the identity first; the identity alone if there are more than `most` or they are hard to find.
std::vector<order_symmetry> find_symmetries(const network& net, const order_problem& problem, std::size_t most = 256);

}  // namespace contraflow::pcie::model
