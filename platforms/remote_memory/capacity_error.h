// SPDX-License-Identifier: Apache-2.0
// The error of GPUs with a driver that are too small for their workload, in terms of the configuration.
#pragma once

#include <exception>
#include <optional>

#include "config/tree/problem.h"
#include "host/system/unified_machine.h"
#include "workloads/selection.h"

namespace contraflow::remote_memory {

// None if the exception has another cause.
std::optional<config::problem> capacity_problem(const std::exception& e, const workloads::selection& w,
                                                const host::unified_machine::spec& machine);

}  // namespace contraflow::remote_memory
