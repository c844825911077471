// SPDX-License-Identifier: Apache-2.0
// The results that runs of an experiment can leave, before any has run.
#pragma once

#include <nlohmann/json.hpp>

#include "torus_nic/experiment/experiment.h"

namespace contraflow::torus_nic {

// See face::program_if::results_form().
nlohmann::ordered_json results_form(const experiment& e);

}  // namespace contraflow::torus_nic
