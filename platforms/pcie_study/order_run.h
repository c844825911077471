// SPDX-License-Identifier: Apache-2.0
// The search for the best order of sends in closed form; if requested, its fastest and slowest order also run in TLM.
#pragma once

#include "pcie/model/orders/order_search.h"
#include "pcie_study/evaluation.h"

namespace contraflow::pcie_study {

// `configured`: the sends in the order in which the configuration has them. Returns an exit code.
int run_orders(const study_spec& settings, const pcie::topology& tree, const sends& configured,
               const pcie::model::order_problem& problem, evaluation& levels, face::run_context& context);

}  // namespace contraflow::pcie_study
