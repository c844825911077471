// SPDX-License-Identifier: Apache-2.0
// --cases FILE: every case of a file evaluated, at the level asked for.
#pragma once

#include <string>

#include "face/run_context.h"
#include "pcie_tree/experiment.h"

namespace contraflow::pcie_tree {

// Writes cases.json into the run directory and a table into the report. Throws face::usage_error for a bad file.
int run_cases(const std::string& file, const experiment& settings, face::run_context& context);

}  // namespace contraflow::pcie_tree
