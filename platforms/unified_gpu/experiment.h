// SPDX-License-Identifier: Apache-2.0
// What a configuration of unified_gpu says: the machine, the workloads, how they are spread over the GPUs, and which
// policies are compared.
#pragma once

#include <vector>

#include "config/fields.h"
#include "host/driver/program_runner.h"
#include "study/study_spec.h"
#include "unified_gpu/machine_spec.h"
#include "unified_gpu/memory_policy.h"

namespace contraflow::unified_gpu {

struct experiment : machine_spec, study::study_spec<memory_policy> {
    host::execution_model execution = host::execution_model::unified;
    host::memory_model memory = host::memory_model::unified;
    std::vector<unsigned> members;

    experiment() { compare = {memory_policy::one_gpu, memory_policy::dca, memory_policy::migrate}; }
    static void describe(config::fields<experiment>& f);
};

// The GPUs that the program uses.
std::vector<unsigned> members_of(const experiment& e);

}  // namespace contraflow::unified_gpu
