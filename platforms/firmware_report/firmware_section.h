// SPDX-License-Identifier: Apache-2.0
// Where the cycles of a NIC's core went, as a section of a report.
#pragma once

#include "face/results/report_data.h"
#include "nic_levels/firmware_datapath.h"

namespace contraflow::firmware_report {

// All cycles belong to a routine or to waiting; shares are relative to the cycles of routines.
face::section firmware_section(const nic_levels::core_profile& profile);
// us, from when a look-up could begin to its result; 0 where there was none.
double mean_lookup_us(const nic_levels::core_profile& profile);
nlohmann::ordered_json as_json(const nic_levels::core_profile& profile);

}  // namespace contraflow::firmware_report
