// SPDX-License-Identifier: Apache-2.0
// A machine that turns out too small for its workload, in the words of the configuration: what all platforms with GPUs
// can meet. A platform adds its own kinds of memory.
#pragma once

#include "config/problem.h"
#include "gpu/compute_unit/compute_unit_spec.h"
#include "gpu/dispatch/cta_too_large.h"
#include "workloads/selection.h"

namespace contraflow::study {

config::problem capacity_error(const gpu::cta_too_large& e, const workloads::selection& w,
                               const gpu::compute_unit_spec& unit);
// This computer has not the memory to simulate it.
config::problem too_large_for_the_host(const workloads::selection& w);

}  // namespace contraflow::study
