// SPDX-License-Identifier: Apache-2.0
// Carries out a configured experiment: the communications at the requested level, and the search for their best order.
#pragma once

#include <optional>
#include <vector>

#include "face/run/run_context.h"
#include "pcie/fabric/topology.h"
#include "pcie/model/communication.h"
#include "pcie/model/orders/order_search.h"
#include "pcie_study/study_spec.h"

namespace contraflow::pcie_study {

// The problem whose best order is searched; none if there is no search. Throws usage_error if one is asked for that
// cannot be made.
std::optional<pcie::model::order_problem> wanted_problem(const study_spec& settings,
                                                         const std::vector<pcie::model::communication>& configured);

int run_exchange(const study_spec& settings, const pcie::topology& tree,
                 const std::vector<pcie::model::communication>& communications, face::run_context& context);

}  // namespace contraflow::pcie_study
