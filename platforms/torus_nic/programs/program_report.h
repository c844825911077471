// SPDX-License-Identifier: Apache-2.0
// What programs of all nodes have to say: a table, the core's profile, the use of links.
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "torus_nic/programs/program_run.h"

namespace contraflow::torus_nic {

void fill(face::report_data& report, const experiment& e, const std::vector<program_result>& runs);

}  // namespace contraflow::torus_nic
