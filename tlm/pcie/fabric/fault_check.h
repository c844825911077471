// SPDX-License-Identifier: Apache-2.0
// Checks that a plan of faults names links of the tree, and rates to which they can fall.
#pragma once

#include <vector>

#include "config/tree/problem.h"
#include "pcie/fabric/fault_plan.h"
#include "pcie/fabric/topology.h"

namespace contraflow::pcie {

// Paths below the plan: "downgrades[0].node".
std::vector<config::problem> problems_of(const fault_plan& plan, const topology& tree);

}  // namespace contraflow::pcie
