// SPDX-License-Identifier: Apache-2.0
// The packet for which two levels of the receive datapath differ, as a case of nic_replay.
#pragma once

#include "face/run/run_context.h"
#include "nic_levels/receive_level.h"

namespace contraflow::firmware_report {

// Writes it into the run directory, if there is one, and the command that plays it again into the report.
void keep_packet(const nic::receive_case& packet, const nic_levels::chosen_level& level, face::run_context& context);

}  // namespace contraflow::firmware_report
