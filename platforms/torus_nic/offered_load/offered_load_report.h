// SPDX-License-Identifier: Apache-2.0
// The report of a study of the network alone: latency against throughput, and the load of links.
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "torus_nic/offered_load/offered_load_run.h"

namespace contraflow::torus_nic {

void fill(face::report_data& report, const experiment& e, const std::vector<load_result>& runs);

}  // namespace contraflow::torus_nic
