// SPDX-License-Identifier: Apache-2.0
// The error of a machine that is too small for its workload, in terms of the configuration, as all platforms with GPUs
// can meet. A platform adds its own kinds of memory.
#pragma once

#include <exception>
#include <optional>

#include "config/tree/problem.h"
#include "gpu/system/gpu_spec.h"
#include "workloads/selection.h"

namespace contraflow::study {

// None if the exception has another cause.
std::optional<config::problem> capacity_problem(const std::exception& e, const workloads::selection& w,
                                                const gpu::gpu_parts& machine);
// This computer does not have enough memory to simulate it.
config::problem too_large_for_the_host(const workloads::selection& w);

}  // namespace contraflow::study
