// SPDX-License-Identifier: Apache-2.0
// The functions of an enumerated PCIe tree and the bus addresses they claim, as a table of a report.
#pragma once

#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "pcie/fabric/address_map.h"

namespace contraflow::pcie_report {

// Only on the page, not on the terminal: a tree has many rows.
face::table address_table(const std::vector<pcie::address_map::row>& rows, std::string id, std::string title);

}  // namespace contraflow::pcie_report
