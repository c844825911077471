// SPDX-License-Identifier: Apache-2.0
// A machine that turns out too small for its workload, in the words of the configuration.
#pragma once

#include "config/problem.h"
#include "gpu/dispatch/cta_too_large.h"
#include "host/driver/address_space.h"
#include "memory/vm/radix_table.h"
#include "traces/replay.h"
#include "unified_gpu/machine_spec.h"
#include "workloads/selection.h"

namespace contraflow::unified_gpu {

config::problem misfit(const host::gpu_memory_full& e, const workloads::selection& w, const machine_spec& machine);
config::problem misfit(const memory::table_full& e, const workloads::selection& w);
config::problem misfit(const gpu::cta_too_large& e, const workloads::selection& w, const machine_spec& machine);
config::problem misfit(const traces::rights_not_kept& e, const workloads::selection& w);
// This computer has not the memory to simulate it.
config::problem too_large_for_the_host(const workloads::selection& w);

}  // namespace contraflow::unified_gpu
