// SPDX-License-Identifier: Apache-2.0
// Report sections with the results of the closed-form model for one set of communications.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "face/results/report_data.h"
#include "pcie/model/network.h"
#include "pcie/model/timeline.h"

namespace contraflow::pcie_study {

// "downstream share of gpu2 with 2 others", "head of line behind b at k80_0.up"
std::string hold_text(const pcie::model::network& net, const std::vector<pcie::model::communication>& communications,
                      const pcie::model::hold& why);

// "upstream share at sa.up (x4.00), root complex at sb.down (x1.21)": causes with their factors, the largest first; the
// factors are left out if there is but one.
template <class Cause>
std::string causes_text(const pcie::model::network& net, const std::vector<pcie::model::communication>& communications,
                        const std::vector<Cause>& causes) {
    constexpr std::size_t most = 3;
    constexpr double worth_naming = 1.005;
    std::string text;
    double others = 1.0;
    for (std::size_t i = 0; i < causes.size(); ++i) {
        if (i >= most || (i > 0 && causes[i].times < worth_naming)) {
            others *= causes[i].times;
            continue;
        }
        text += (i == 0 ? "" : ", ") + hold_text(net, communications, causes[i].cause);
        if (causes.size() > 1) text += fmt::format(" (x{:.2f})", causes[i].times);
    }
    if (others >= worth_naming) text += fmt::format(", others (x{:.2f})", others);
    return text.empty() ? "nothing" : text;
}

struct model_view {
    const pcie::model::network& net;
    const std::vector<pcie::model::communication>& communications;
    const pcie::model::timeline_result& result;
    const std::vector<pcie::port_id> limit{};  // the links that the headline names as the limit
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
