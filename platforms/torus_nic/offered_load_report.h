// SPDX-License-Identifier: Apache-2.0
// What a study of the network alone has to say: latency against throughput, and which links were busy.
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "torus_nic/offered_load_run.h"

namespace contraflow::torus_nic {

void fill(face::report_data& report, const experiment& e, const std::vector<load_result>& runs);

}  // namespace contraflow::torus_nic
