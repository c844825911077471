// SPDX-License-Identifier: Apache-2.0
// Report sections about the search for the best order of sends: its result, the distribution of all orders, and the
// best order as steps to program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "pcie/model/orders/order_search.h"

namespace contraflow::pcie_study {

// The configured sends by source; none, with the reason, if an order cannot be searched for (sends that start later).
struct searchable {
    pcie::model::order_problem problem;
    std::string obstacle;  // empty: can be searched
};
searchable order_problem_of(const std::vector<pcie::model::communication>& communications);

struct search_view {
    const pcie::topology& tree;
    const pcie::model::order_problem& problem;
    const pcie::model::search_result& result;
    double configured_s = 0;  // the time of the order as configured
};
face::section search_section(const search_view& view);
face::section best_order_section(const search_view& view);
nlohmann::ordered_json search_results(const search_view& view);

}  // namespace contraflow::pcie_study
