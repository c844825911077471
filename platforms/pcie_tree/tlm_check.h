// SPDX-License-Identifier: Apache-2.0
// Checks of those TLM parameters that depend on the tree: names of ports and nodes, and weights.
#pragma once

#include "config/text/diagnostics.h"
#include "machines/tree_config.h"
#include "pcie_tree/experiment.h"

namespace contraflow::pcie_tree {

void check_tlm(const experiment& settings, const pcie::topology& tree, const machines::locator& where,
               config::diagnostics& diagnostics);

}  // namespace contraflow::pcie_tree
