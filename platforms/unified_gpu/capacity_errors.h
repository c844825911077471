// SPDX-License-Identifier: Apache-2.0
// A machine that turns out too small for its workload, in the words of the configuration.
#pragma once

#include "config/problem.h"
#include "host/driver/address_space.h"
#include "memory/vm/radix_table.h"
#include "traces/replay.h"
#include "unified_gpu/machine_spec.h"
#include "workloads/selection.h"

namespace contraflow::unified_gpu {

config::problem capacity_error(const host::gpu_memory_full& e, const workloads::selection& w,
                               const machine_spec& machine);
config::problem capacity_error(const memory::table_full& e, const workloads::selection& w);
config::problem capacity_error(const traces::rights_not_kept& e, const workloads::selection& w);

}  // namespace contraflow::unified_gpu
