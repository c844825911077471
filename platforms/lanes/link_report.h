// SPDX-License-Identifier: Apache-2.0
// Results of reversible links, for the terminal and the report page.
#pragma once

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "lanes/link_result.h"

namespace contraflow::lanes {

struct links_of_run {
    std::string name;  // "dynamic"
    const std::vector<link_result>& links;
};
// A row for each link and run.
face::table link_table(const std::vector<links_of_run>& runs, const std::string& id);
// [{name, a_to_b_bytes, b_to_a_bytes, turns, energy_mj, area_mm2}]
nlohmann::ordered_json json_of(const std::vector<link_result>& links);
// Bandwidth by direction and the limit that its lanes set, over time. Moments and note are the caller's.
face::chart bandwidth_chart(const link_result& l, const std::string& id);

}  // namespace contraflow::lanes
