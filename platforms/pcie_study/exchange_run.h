// SPDX-License-Identifier: Apache-2.0
// Carries out a configured experiment: the communications at the requested level, and the search for their best order.
#pragma once

#include <vector>

#include "face/run/run_context.h"
#include "pcie/fabric/topology.h"
#include "pcie/model/communication.h"
#include "pcie_study/study_spec.h"

namespace contraflow::pcie_study {

int run_exchange(const study_spec& settings, const pcie::topology& tree,
                 const std::vector<pcie::model::communication>& communications, face::run_context& context);

}  // namespace contraflow::pcie_study
