// SPDX-License-Identifier: Apache-2.0
// What reversible links did, for the terminal and the report page.
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
// A row a link and run.
face::table link_table(const std::vector<links_of_run>& runs, const std::string& id);
// Bandwidth by direction and the limit that its lanes set, over time. Moments and note are the caller's.
face::chart bandwidth_chart(const link_result& l, const std::string& id);

}  // namespace contraflow::lanes
