// SPDX-License-Identifier: Apache-2.0
// Communications from a CSV trace: one per row, `start,from,to,bytes`, with an optional header of these names; lines
// that begin with # are skipped. start: a time with its unit (1.5ms); bytes: a count (4096) or a size (4KiB).
#pragma once

#include <cstddef>
#include <vector>

#include "config/text/diagnostics.h"
#include "config/text/text_source.h"
#include "machines/tree_config.h"
#include "pcie/model/communication.h"

namespace contraflow::transfers {

inline constexpr std::size_t most_trace_rows = 1'000'000;
inline constexpr std::size_t largest_trace = std::size_t{128} << 20;

// Rows are in the file's order; "trace:7" is the row in line 7. False, and errors with their places, if a row is wrong.
bool read_trace(const config::source& csv, const machines::endpoint_directory& endpoints,
                std::vector<pcie::model::communication>& into, config::diagnostics& diag);

}  // namespace contraflow::transfers
