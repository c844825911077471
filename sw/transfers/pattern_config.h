// SPDX-License-Identifier: Apache-2.0
// Checks the configuration's `pattern` and makes sends between nodes of it.
#pragma once

#include <vector>

#include "config/text/diagnostics.h"
#include "machines/tree_config.h"
#include "pcie/model/communication.h"
#include "transfers/transfer_spec.h"

namespace contraflow::transfers {

inline constexpr std::size_t most_pattern_sends = 1'000'000;

// The sends have no names. Empty for kind none, and, with errors, for an impossible pattern.
std::vector<pcie::model::communication> pattern_communications(const pattern_spec& pattern,
                                                               const machines::configured_tree& tree,
                                                               const machines::endpoint_directory& endpoints,
                                                               const machines::locator& where,
                                                               config::diagnostics& diag);

}  // namespace contraflow::transfers
