// SPDX-License-Identifier: Apache-2.0
// A machine that turns out too small for its workload, in the words of the configuration.
#pragma once

#include "config/problem.h"
#include "memory/vm/page_table.h"
#include "traces/replay.h"
#include "workloads/selection.h"

namespace contraflow::numa_gpu {

config::problem capacity_error(const memory::memory_full& e, const workloads::selection& w);
config::problem capacity_error(const traces::rights_not_kept& e, const workloads::selection& w);

}  // namespace contraflow::numa_gpu
