// SPDX-License-Identifier: Apache-2.0
// One workload on one machine, from the first launch to the comparison with the host's result.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/system/gpu_spec.h"
#include "lanes/lane_fault.h"
#include "lanes/link_result.h"
#include "link/lanes/policies.h"
#include "runner/run.h"
#include "study/kernel_report.h"
#include "study/program_bench.h"
#include "study/stage_chart.h"

namespace contraflow::numa_gpu {

struct run_result : runner::run_outcome {
    std::vector<study::kernel_result> kernels;
    std::vector<lanes::link_result> links;
    study::request_stages requests;
    std::uint64_t turns() const { return lanes::turns_of(links); }
    double energy_joule() const { return lanes::joule_of(links); }
    // Shares of the links' time with both directions saturated, one, or none.
    std::array<double, 3> saturation() const { return lanes::saturation_of(links); }
    // Share of the run's time in which some link had exactly one direction saturated.
    double one_way_somewhere() const {
        return end.ps == 0 ? 0 : lanes::one_way_somewhere(links).seconds() / end.seconds();
    }
};

struct run_options {
    runner::limits limits;
    study::observation seen;
    std::vector<lanes::lane_fault> lane_faults;
    link::lane_set_factory controllers;         // make the controllers of the links' lanes; empty: models
    std::function<void(core::sim_time)> ended;  // called after the last event, while the machine still exists
};

// Throws memory_full or cta_too_large where the machine is too small for the workload.
run_result run_machine(const gpu::gpu_spec& machine, const workloads::selection& workload,
                       const run_options& options = {});

}  // namespace contraflow::numa_gpu
