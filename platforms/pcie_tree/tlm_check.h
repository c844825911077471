// SPDX-License-Identifier: Apache-2.0
// What of the TLM model's parameters can only be judged with the tree: names of ports, nodes and weights.
#pragma once

#include "config/diagnostics.h"
#include "pcie_tree/experiment.h"
#include "pcie_tree/tree_config.h"

namespace contraflow::pcie_tree {

void check_tlm(const experiment& settings, const pcie::topology& tree, const locator& where,
               config::diagnostics& diagnostics);

}  // namespace contraflow::pcie_tree
