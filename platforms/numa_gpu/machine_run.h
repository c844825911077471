// SPDX-License-Identifier: Apache-2.0
// One workload on one machine, from the first launch to the comparison with the host's result.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/system/gpu_spec.h"
#include "link/lanes/policies.h"
#include "link/link_energy.h"
#include "memory/transaction/milestones.h"
#include "numa_gpu/lane_fault.h"
#include "runner/run.h"
#include "study/program_bench.h"

namespace contraflow::numa_gpu {

// What one direction of a link did.
struct direction_result {
    std::string name;  // "out of gpu0"
    std::uint64_t payload_bytes = 0;
    std::uint64_t wire_bytes = 0;
    double utilisation = 0;                        // of the lane-time that served it
    std::vector<std::pair<double, double>> rate;   // us, GB/s on the lanes
    std::vector<std::pair<double, double>> limit;  // us, GB/s that its lanes could have carried
};

struct link_result {
    std::string name;
    std::array<direction_result, 2> directions;  // a to b, b to a
    std::uint64_t turns = 0;
    std::uint64_t failed_lanes = 0;
    std::uint64_t resent = 0;                   // packets, because a lane failed under them
    std::array<core::sim_time, 3> saturated{};  // how long both directions were, one, none: by windows of the series
    link::link_energy energy;
};

// Line requests of the units to their own socket's memory, or to others'.
struct request_result {
    std::uint64_t count = 0;
    std::array<core::sim_time, memory::stage_count> spent{};  // sum over all of them
    core::sim_time total() const;
};

struct run_result : runner::run_outcome {
    std::vector<study::kernel_result> kernels;
    std::vector<link_result> links;
    std::array<request_result, 2> loads;   // local, remote
    std::array<request_result, 2> others;  // stores and atomic operations: local, remote
    std::uint64_t requests() const { return loads[0].count + loads[1].count + others[0].count + others[1].count; }
    std::uint64_t turns() const;
    double energy_joule() const;
    // Share of the time of all links: both directions saturated, one, none.
    std::array<double, 3> saturation() const;
};

struct run_options {
    runner::limits limits;
    study::observation seen;
    std::vector<lane_fault> lane_faults;
    link::lane_set_factory controllers;         // of the links' lanes; empty: models
    std::function<void(core::sim_time)> ended;  // nothing more happens; the machine is still there
};

// Throws memory_full or cta_too_large where the machine is too small for the workload.
run_result run_machine(const gpu::gpu_spec& machine, const workloads::selection& workload,
                       const run_options& options = {});

}  // namespace contraflow::numa_gpu
