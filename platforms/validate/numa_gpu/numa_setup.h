// SPDX-License-Identifier: Apache-2.0
// Runs on the default machine of numa_gpu behind the rows L1 to L10: each is made once, however many rows ask for it.
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

// The configuration that stands for it.
numa_gpu::experiment experiment_of(const numa_case& c);
// Verified; a wrong result or a run that does not end is a std::runtime_error.
const numa_gpu::run_result& run_of(const numa_case& c, const run_environment& environment);

inline double time_s(const numa_case& c, const run_environment& environment) {
    return run_of(c, environment).end.seconds();
}
// Static links over these.
double speed_up(numa_case c, const run_environment& environment);

}  // namespace contraflow::validate
