// SPDX-License-Identifier: Apache-2.0
// A configuration of unified_gpu: the machine, the workloads, how they are spread over the GPUs, and which
// policies are compared.
#pragma once

#include <vector>

#include "config/config.h"
#include "host/driver/program_runner.h"
#include "host/system/unified_machine.h"
#include "remote_memory/memory_policy.h"
#include "study/study_spec.h"

namespace contraflow::unified_gpu {

using config::name_of;
using remote_memory::memory_policy;

struct experiment : host::unified_machine::spec, study::study_spec<memory_policy> {
    host::execution_model execution = host::execution_model::unified;
    host::memory_model memory = host::memory_model::unified;
    std::vector<unsigned> members;

    experiment() { compare = {memory_policy::one_gpu, memory_policy::dca, memory_policy::migrate}; }
    static void describe(config::fields<experiment>& f);
};

// The GPUs that the program uses.
std::vector<unsigned> members_of(const experiment& e);

// The errors of a configuration that are found before a run, each with its place.
void check(config::loaded<experiment>& loaded, config::diagnostics& diag);

}  // namespace contraflow::unified_gpu
