// SPDX-License-Identifier: Apache-2.0
// One workload on one machine, from the first launch to the comparison with the host's result.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gpu/system/gpu_spec.h"
#include "link/link_energy.h"
#include "link/policies.h"
#include "memory/transaction/milestones.h"
#include "numa_gpu/lane_fault.h"
#include "observe/conservation.h"
#include "observe/statistics.h"
#include "observe/trace.h"
#include "observe/watchdog.h"
#include "observe/wave_sink_if.h"
#include "workloads/selection.h"

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

struct kernel_result {
    std::string name;
    core::sim_time begun{}, ended{};
};

// Line requests of the units to their own socket's memory, or to others'.
struct request_result {
    std::uint64_t count = 0;
    std::array<core::sim_time, memory::stage_count> spent{};  // sum over all of them
    core::sim_time total() const;
};

struct run_result {
    observe::watchdog::verdict verdict = observe::watchdog::verdict::finished;
    std::string standstill;               // of a run without progress: since when
    std::vector<std::string> wait_chain;  // and who waits for whom
    std::string stopped_while;            // where the host was stopped: "its data was made"; empty: elsewhere
    std::string fault;                    // an access that could not be carried out: whose and where; empty: none
    std::string wrong;                    // what of the workload's result is not the host's; empty: nothing
    core::sim_time end{};                 // of the last kernel, or of the run where it was stopped
    std::vector<kernel_result> kernels;
    std::vector<link_result> links;
    std::array<request_result, 2> loads;   // local, remote
    std::array<request_result, 2> others;  // stores and atomic operations: local, remote
    std::vector<observe::stat_row> statistics;
    std::vector<observe::conservation_check> conservation;
    std::uint64_t callbacks = 0;
    std::uint64_t traced = 0;  // requests in the trace
    bool complete() const { return verdict == observe::watchdog::verdict::finished && fault.empty(); }
    std::uint64_t requests() const { return loads[0].count + loads[1].count + others[0].count + others[1].count; }
    std::uint64_t turns() const;
    double energy_joule() const;
    // Share of the time of all links: both directions saturated, one, none.
    std::array<double, 3> saturation() const;
};

struct run_options {
    core::sim_time watchdog = core::sim_time::from_us(500);
    core::sim_time series_window = core::sim_time::from_us(1);
    core::sim_time limit = core::sim_time::never();
    std::vector<lane_fault> lane_faults;
    link::lane_set_factory controllers;  // of the links' lanes; empty: models
    observe::trace* trace = nullptr;     // null: no trace
    observe::wave_sink_if* waves = nullptr;
    std::ostream* record = nullptr;  // takes the accesses of all wavefronts (sw/traces)
    core::sim_time shown_from{}, shown_to = core::sim_time::never();
    std::uint64_t trace_every = 1;
    std::function<void(core::sim_time)> ended;                    // nothing more happens; the machine is still there
    std::function<bool()> keep_going;                             // asked now and then
    std::function<void(core::sim_time, std::uint64_t)> progress;  // requests completed
    // Does what takes the host long, the making of data and the check of the result; false: it was stopped, but may
    // still go on. Empty: does it at once.
    std::function<bool(std::function<void()>)> carry_out;
};

// Throws memory_full or cta_too_large where the machine is too small for the workload.
run_result run_machine(const gpu::gpu_spec& machine, const workloads::selection& workload,
                       const run_options& options = {});

}  // namespace contraflow::numa_gpu
