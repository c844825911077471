// SPDX-License-Identifier: Apache-2.0
// One row per run: times, speed-ups and where requests go; hits of each level of memory.
#pragma once

#include "remote_memory/comparison.h"

namespace contraflow::remote_memory {

// The run that others are compared with: the run on one GPU, otherwise the first.
const compared_run& reference_of(const comparison& c);
double speed_up(const comparison& c, const compared_run& run);

face::table comparison_table(const comparison& c);
face::table levels_table(const comparison& c);
nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run);

}  // namespace contraflow::remote_memory
