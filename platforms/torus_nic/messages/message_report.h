// SPDX-License-Identifier: Apache-2.0
// What experiments with messages have to say: figures by size, one message on the bus and by stage, firmware, links.
#pragma once

#include <vector>

#include "face/results/report_data.h"
#include "torus_nic/messages/message_run.h"

namespace contraflow::torus_nic {

void fill(face::report_data& report, const experiment& e, const std::vector<message_result>& runs);

}  // namespace contraflow::torus_nic
