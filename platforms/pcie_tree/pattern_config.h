// SPDX-License-Identifier: Apache-2.0
// The configuration's `pattern` checked and made sends between nodes.
#pragma once

#include <vector>

#include "config/diagnostics.h"
#include "pcie/model/communication.h"
#include "pcie_tree/tree_config.h"

namespace contraflow::pcie_tree {

inline constexpr std::size_t most_pattern_sends = 1'000'000;

// Without names; empty for kind none, and, with errors, for a pattern that can't be.
std::vector<pcie::model::communication> pattern_communications(const pattern_spec& pattern, const configured_tree& tree,
                                                               const endpoint_directory& endpoints,
                                                               const locator& where, config::diagnostics& diag);

}  // namespace contraflow::pcie_tree
