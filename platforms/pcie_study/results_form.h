// SPDX-License-Identifier: Apache-2.0
// The names of the results that run_exchange() leaves, before it has run.
#pragma once

#include <nlohmann/json.hpp>

#include "pcie/fabric/topology.h"
#include "pcie_study/evaluation.h"
#include "pcie_study/study_spec.h"

namespace contraflow::pcie_study {

// See face::program_if::results_form().
nlohmann::ordered_json results_form(const study_spec& settings, const pcie::topology& tree, const sends& s);

}  // namespace contraflow::pcie_study
