// SPDX-License-Identifier: Apache-2.0
// One workload on one machine, from the making of its data to the comparison with the host's result.
#pragma once

#include <functional>
#include <ostream>
#include <vector>

#include "gpu/compute_unit/request_trace.h"
#include "host/driver/program_runner.h"
#include "observe/trace.h"
#include "unified_gpu/machine_spec.h"
#include "unified_gpu/run_result.h"
#include "workloads/selection.h"

namespace contraflow::unified_gpu {

struct run_options {
    host::program_runner::spec program;
    core::sim_time watchdog = core::sim_time::from_us(500);
    core::sim_time series_window = core::sim_time::from_us(1);
    core::sim_time limit = core::sim_time::never();
    observe::trace* trace = nullptr;                              // null: no trace
    gpu::trace_window shown;                                      // of requests, there
    std::ostream* record = nullptr;                               // takes the accesses of all wavefronts (sw/traces)
    std::function<bool()> keep_going;                             // asked now and then
    std::function<void(core::sim_time, std::uint64_t)> progress;  // requests completed
    // Does what takes the host long, the making of data and the check of the result; false: it was stopped, but may
    // still go on. Empty: does it at once.
    std::function<bool(std::function<void()>)> carry_out;
};

// Throws gpu_memory_full, table_full or cta_too_large where the machine is too small for the workload.
run_result run_machine(const machine_spec& machine, const workloads::selection& workload, const run_options& options);

}  // namespace contraflow::unified_gpu
