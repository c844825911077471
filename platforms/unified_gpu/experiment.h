// SPDX-License-Identifier: Apache-2.0
// What a configuration of unified_gpu says: the machine, the workloads, how they are spread over the GPUs, and which
// policies are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"
#include "gpu/compute_unit/request_trace.h"
#include "host/driver/program_runner.h"
#include "unified_gpu/machine_spec.h"
#include "unified_gpu/memory_policy.h"
#include "workloads/selection.h"

namespace contraflow::unified_gpu {

struct experiment : machine_spec {
    host::execution_model execution = host::execution_model::unified;
    host::memory_model memory = host::memory_model::unified;
    std::vector<unsigned> members;
    workloads::selection workload;
    std::vector<workloads::workload_name> also;
    std::vector<std::string> also_set;
    std::vector<memory_policy> compare{memory_policy::one_gpu, memory_policy::dca, memory_policy::migrate};
    core::sim_time watchdog = core::sim_time::from_us(500);
    core::sim_time series_window = core::sim_time::from_us(1);
    gpu::trace_window window;
    std::uint64_t seed = 0;

    static void describe(config::fields<experiment>& f);
};

// "pagerank.graph.scale=14"
struct parameter_of {
    std::string workload, path, value;
    static std::optional<parameter_of> read(const std::string& text);  // nothing: it has not that form
};

// All of them, in order.
std::vector<workloads::selection> workloads_of(const experiment& e);
// The GPUs that the program uses.
std::vector<unsigned> members_of(const experiment& e);

}  // namespace contraflow::unified_gpu
