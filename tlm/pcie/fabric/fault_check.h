// SPDX-License-Identifier: Apache-2.0
// Whether a plan of faults speaks of links that a tree has, and of rates that they can fall to.
#pragma once

#include <vector>

#include "config/tree/problem.h"
#include "pcie/fabric/fault_plan.h"
#include "pcie/fabric/topology.h"

namespace contraflow::pcie {

// Paths below the plan: "downgrades[0].node".
std::vector<config::problem> problems_of(const fault_plan& plan, const topology& tree);

}  // namespace contraflow::pcie
