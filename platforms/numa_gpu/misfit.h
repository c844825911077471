// SPDX-License-Identifier: Apache-2.0
// A machine that turns out too small for its workload, in the words of the configuration.
#pragma once

#include "config/problem.h"
#include "gpu/dispatch/cta_too_large.h"
#include "gpu/system/gpu_spec.h"
#include "memory/vm/page_table.h"
#include "traces/replay.h"
#include "workloads/selection.h"

namespace contraflow::numa_gpu {

config::problem misfit(const memory::memory_full& e, const workloads::selection& w);
config::problem misfit(const gpu::cta_too_large& e, const workloads::selection& w, const gpu::compute_unit_spec& unit);
config::problem misfit(const traces::rights_not_kept& e, const workloads::selection& w);
// This computer has not the memory to simulate it.
config::problem too_large_for_the_host(const workloads::selection& w);

}  // namespace contraflow::numa_gpu
