// SPDX-License-Identifier: Apache-2.0
// All workloads by name.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/support/entry.h"

namespace contraflow::workloads {

const std::vector<workload_entry>& all();
// Null if there is none of that name.
const workload_entry* find(std::string_view name);

}  // namespace contraflow::workloads
