// SPDX-License-Identifier: Apache-2.0
// Runs of one workload, compared.
#pragma once

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "remote_memory/memory_policy.h"
#include "remote_memory/run_result.h"
#include "study/study.h"

namespace contraflow::remote_memory {

using face::us;

using comparison = study::comparison<memory_policy, run_result>;
using compared_run = comparison::run;

}  // namespace contraflow::remote_memory
