// SPDX-License-Identifier: Apache-2.0
// Checks that a plan of faults names links of the tree, and rates to which they can fall; and that weights of
// arbitration name switches of it, with a weight for each port.
#pragma once

#include <vector>

#include "config/tree/problem.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/fabric/fault_plan.h"
#include "pcie/fabric/topology.h"

namespace contraflow::pcie {

// Paths below the plan: "downgrades[0].node".
std::vector<config::problem> problems_of(const fault_plan& plan, const topology& tree);
// Paths below the specification: "faults.downgrades[0].node", "arbitration[0].weights".
std::vector<config::problem> problems_of(const link_tree_spec& s, const topology& tree);

}  // namespace contraflow::pcie
