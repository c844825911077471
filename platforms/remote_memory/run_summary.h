// SPDX-License-Identifier: Apache-2.0
// The counts of a machine's parts, added up for the report.
#pragma once

#include <vector>

#include "host/system/unified_machine.h"
#include "remote_memory/run_result.h"

namespace contraflow::remote_memory {

// L1 and L2 TLBs, first and second level of caches, and those of shader arrays if there are any: by name, then with
// what was counted.
std::vector<level_result> empty_levels(bool shader_arrays);
std::vector<level_result> levels_of(host::unified_machine& m);
std::vector<direction_result> directions_of(host::unified_machine& m, core::sim_time end);
// Empty unless a PCIe tree joins the GPUs.
std::vector<pcie::address_map::row> addresses_of(host::unified_machine& m);
std::uint64_t walks_of(host::unified_machine& m);
migration_result migrations_of(host::unified_machine& m);
access_counts accesses_of(host::unified_machine& m);

}  // namespace contraflow::remote_memory
