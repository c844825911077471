// SPDX-License-Identifier: Apache-2.0
// Has points executed by Snakemake: here, on all cores, or as arrays of jobs of a Slurm cluster.
#pragma once

#include <string>
#include <vector>

#include "face/run/run_context.h"
#include "sweep/plan.h"
#include "sweep/point_store.h"

namespace contraflow::sweep {

enum class engine { local, slurm };

struct execution_request {
    engine on = engine::local;
    unsigned jobs = 1;        // at the same time
    bool jobs_given = false;  // on a cluster there is no limit otherwise
    std::vector<std::string> sbatch_options{};
};

// Throws usage_error if the engine is not installed.
void check_engine(engine on);

// Runs the unfinished points. It first waits for points that an earlier, killed call has left running. Stops when
// the context says so. The answer is why points were left out, empty if none were.
std::string execute(const plan& of, point_store& store, const execution_request& how, face::run_context& context);

}  // namespace contraflow::sweep
