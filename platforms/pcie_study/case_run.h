// SPDX-License-Identifier: Apache-2.0
// --cases FILE: evaluates every case of a file at the requested level.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/text/diagnostics.h"
#include "face/run/run_context.h"
#include "pcie/model/case_file.h"
#include "pcie_study/study_spec.h"

namespace contraflow::pcie_study {

// None, and errors with their places, for a file that can't be evaluated.
std::optional<std::vector<pcie::model::case_input>> read_cases(const std::string& file,
                                                               config::diagnostics& diagnostics);

// Writes cases.json into the run directory and a table into the report.
int run_cases(const std::vector<pcie::model::case_input>& cases, const study_spec& settings,
              face::run_context& context);

}  // namespace contraflow::pcie_study
