// SPDX-License-Identifier: Apache-2.0
// One send of a communication graph: who, to whom, how much, and when it is issued.
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
    double start_s = 0;  // when its source is told to send; it waits there while the source is busy
};

}  // namespace contraflow::pcie::model
