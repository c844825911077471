// SPDX-License-Identifier: Apache-2.0
// Everything a configuration sends, resolved to nodes: the listed communications, then the pattern's, then the trace's.
// The three add up, so that a pattern can run against traced background traffic. Order is that of the rules: a source
// starts its sends by start, then by place in this list.
#pragma once

#include <optional>
#include <vector>

#include "config/text/diagnostics.h"
#include "machines/tree_config.h"
#include "pcie/model/communication.h"
#include "transfers/transfer_spec.h"

namespace contraflow::transfers {

// None, and errors with their places, if anything can't be sent, or if there is nothing to send.
std::optional<std::vector<pcie::model::communication>> resolve_communications(const transfer_spec& from,
                                                                              const machines::configured_tree& tree,
                                                                              const machines::locator& where,
                                                                              config::diagnostics& diag);

}  // namespace contraflow::transfers
