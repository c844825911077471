// SPDX-License-Identifier: Apache-2.0
// Report sections with the results of the TLM model for one set of communications, and their agreement with the closed
// form.
#pragma once

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "pcie/model/network.h"
#include "pcie/model/timeline.h"
#include "pcie_study/model_report.h"
#include "pcie_study/tlm_run.h"

namespace contraflow::pcie_study {

struct tlm_view {
    const pcie::topology& tree;
    const std::vector<pcie::model::communication>& communications;
    const tlm_result& result;
};
face::section tlm_section(const tlm_view& view, const std::string& id, const std::string& title, detail how_much);
nlohmann::ordered_json tlm_results(const tlm_result& result);

// Both levels side by side, and the rule of the closed form behind each difference.
face::section comparison_section(const pcie::model::network& net,
                                 const std::vector<pcie::model::communication>& communications,
                                 const pcie::model::timeline_result& model, const tlm_result& tlm,
                                 const std::string& id, const std::string& title);

}  // namespace contraflow::pcie_study
