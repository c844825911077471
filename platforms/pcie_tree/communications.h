// SPDX-License-Identifier: Apache-2.0
// Everything a configuration sends, resolved to nodes: the listed communications, then the pattern's, then the trace's.
// The three add up, so that a pattern can run against traced background traffic. Order is that of the rules: a source
// starts its sends by start, then by place in this list.
#pragma once

#include <optional>
#include <vector>

#include "config/diagnostics.h"
#include "pcie/model/communication.h"
#include "pcie_tree/tree_config.h"

namespace contraflow::pcie_tree {

// None, and errors with their places, if anything can't be sent, or if there is nothing to send.
std::optional<std::vector<pcie::model::communication>> resolve_communications(const experiment& from,
                                                                              const configured_tree& tree,
                                                                              const locator& where,
                                                                              config::diagnostics& diag);

}  // namespace contraflow::pcie_tree
