// SPDX-License-Identifier: Apache-2.0
// One workload on one machine, from the making of its data to the comparison with the host's result.
#pragma once

#include "host/driver/program_runner.h"
#include "host/system/unified_machine.h"
#include "remote_memory/run_result.h"
#include "runner/run.h"
#include "study/program_bench.h"
#include "workloads/selection.h"

namespace contraflow::remote_memory {

struct run_options {
    host::program_runner::spec program;
    runner::limits limits;
    study::observation seen;
};

// Throws gpu_memory_full, table_full or cta_too_large where the machine is too small for the workload.
run_result run_machine(const host::unified_machine::spec& machine, const workloads::selection& workload,
                       const run_options& options);

}  // namespace contraflow::remote_memory
