// SPDX-License-Identifier: Apache-2.0
// One send of a communication graph: source, destination, size and start.
#pragma once

#include <string>

#include "core/units.h"
#include "pcie/fabric/topology.h"

namespace contraflow::pcie::model {

struct communication {
    std::string name;
    node_id from = no_node;
    node_id to = no_node;
    core::bytes size;
    double start_s = 0;  // when it is issued; it waits while its source is busy
};

}  // namespace contraflow::pcie::model
