// SPDX-License-Identifier: Apache-2.0
// The results that runs of an experiment can leave, before any has run.
#pragma once

#include <nlohmann/json.hpp>

#include "gpu_shmem/experiment/experiment.h"

namespace contraflow::gpu_shmem {

// See face::program_if::results_form().
nlohmann::ordered_json results_form(const experiment& e);

}  // namespace contraflow::gpu_shmem
