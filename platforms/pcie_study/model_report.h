// SPDX-License-Identifier: Apache-2.0
// Report sections with the results of the closed-form model for one set of communications.
#pragma once

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "pcie/model/network.h"
#include "pcie/model/timeline.h"

namespace contraflow::pcie_study {

// "downstream share of gpu2 with 2 others", "head of line behind b at k80_0.up"
std::string hold_text(const pcie::model::network& net, const std::vector<pcie::model::communication>& communications,
                      const pcie::model::hold& why);

struct model_view {
    const pcie::model::network& net;
    const std::vector<pcie::model::communication>& communications;
    const pcie::model::timeline_result& result;
};

// Longer tables are cut on the terminal; the report page has all rows.
inline constexpr std::size_t most_rows = 1000;
inline constexpr std::size_t most_rows_on_terminal = 24;

enum class detail { whole, summary };  // summary: no factors by step, and only headlines on the terminal

// Table of communications, the tree, the timeline and the factors by step. `id` prefixes those of its items, so that a
// report may hold several.
face::section model_section(const model_view& view, const std::string& id, const std::string& title, detail how_much);
nlohmann::ordered_json model_results(const model_view& view);

}  // namespace contraflow::pcie_study
