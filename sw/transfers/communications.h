// SPDX-License-Identifier: Apache-2.0
// Everything a configuration sends, resolved to nodes: the listed communications, then the pattern's, then the trace's.
// The three add up, so that a pattern can run against traced background traffic. A source begins its sends in order of
// their start, then of this list.
#pragma once

#include <optional>
#include <vector>

#include "config/text/diagnostics.h"
#include "machines/tree_config.h"
#include "pcie/model/communication.h"
#include "transfers/transfer_spec.h"

namespace contraflow::transfers {

// None, and errors with their places, if a send is impossible, or if there is none.
std::optional<std::vector<pcie::model::communication>> resolve_communications(const transfer_spec& from,
                                                                              const machines::configured_tree& tree,
                                                                              const machines::locator& where,
                                                                              config::diagnostics& diag);

}  // namespace contraflow::transfers
