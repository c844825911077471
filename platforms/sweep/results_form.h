// SPDX-License-Identifier: Apache-2.0
// Compares the columns of a sweep with the names of results that its platform says it will leave.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sweep/plan.h"
#include "sweep/result_frame.h"
#include "sweep/sweep_spec.h"

namespace contraflow::sweep {

// The columns, of `rows` too, that are in none of the forms. A list that is empty there may hold anything.
std::vector<missing_value> unknown_values(const sweep_spec& spec, const std::vector<nlohmann::ordered_json>& forms);

// The same before any point runs: asks the platform with --print-results about one point after the other, until each
// column is known. None if the platform cannot tell.
std::optional<std::vector<missing_value>> unknown_values(const sweep_spec& spec, const plan& of);

}  // namespace contraflow::sweep
