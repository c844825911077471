// SPDX-License-Identifier: Apache-2.0
// The runs of rows L1 to L10 on the default machine of numa_gpu. Each run is made once, even if several rows need it.
#pragma once

#include <cstdint>
#include <string>

#include "numa_gpu/experiment.h"
#include "numa_gpu/machine_run.h"
#include "validate/table/row.h"

namespace contraflow::validate {

struct numa_case {
    std::string workload;  // as in a configuration: "name: fft, size: small"
    numa_gpu::links links = numa_gpu::links::dynamic;
    const char* policy = "published";
    std::uint64_t sample_cycles = 5000;
    std::uint64_t switch_cycles = 100;
    unsigned ack_coalescing = link::link_spec{}.ack_coalescing;
};

// The configuration that gives this run.
numa_gpu::experiment experiment_of(const numa_case& c);
// The result is verified. A wrong result, or a run that does not end, throws std::runtime_error.
const numa_gpu::run_result& run_of(const numa_case& c, const run_environment& environment);

inline double time_s(const numa_case& c, const run_environment& environment) {
    return run_of(c, environment).end.seconds();
}
// The time with static links over the time with these.
double speed_up(numa_case c, const run_environment& environment);

}  // namespace contraflow::validate
