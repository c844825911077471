// SPDX-License-Identifier: Apache-2.0
// A NUMA GPU of a given configuration, and small programs that measure it: a chain of dependent loads for latency, and
// streams of lines for bandwidth. What is reported is the steady state: the time of twice the work less that of once.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/kernel/task.h"
#include "gpu/system/gpu_system.h"
#include "runner/bench.h"
#include "validate/table/row.h"

namespace contraflow::validate {

// The default machine of numa_gpu with static links, changed by a configuration: "gpus: 2, network: {kind: ring}".
gpu::gpu_spec machine_of(const std::string& yaml);

class gpu_probe : public runner::bench {
public:
    gpu_probe(const gpu::gpu_spec& s, const run_environment& environment);

    // Runs the program to its end. Its exceptions, the waits of an endless run, and bytes that are not conserved,
    // become a std::runtime_error.
    core::sim_time run(gpu::host_task program);
    core::sim_time now() { return simulation.events().now(); }

    std::vector<const core::waiter_if*> waiters() const override { return {&machine}; }
    std::uint64_t moved() override { return machine.moved(); }
    std::uint64_t outstanding() override { return machine.outstanding(); }

    gpu::gpu_system machine;

private:
    const run_environment& environment_;
};

// A chain of loads, each of which needs the one before, from line to line of one GPU's memory.
struct chain {
    unsigned home = 0, by = 0;  // GPUs
    std::uint64_t lines = 64;   // in the order of a fixed permutation, again and again
};
// Of one load, ns.
double latency_ns(const gpu::gpu_spec& s, const chain& c, const run_environment& environment);

// Wavefronts that read or write lines of a region of their own.
struct stream {
    enum class order { sequential, random };
    enum class access { read, write };
    access kind = access::read;
    order by = order::sequential;
    unsigned gpus = 1;          // that work; the others' memory may be used
    unsigned ctas = 16;         // of each GPU
    unsigned waves = 4;         // of a CTA
    std::uint64_t lines = 512;  // of a wavefront's region, a power of two
    std::uint64_t passes = 1;   // over it
    unsigned in_flight = 1;     // lines that a wavefront loads before it uses the first; a power of two
    unsigned from = 0;          // the data of GPU g is in GPU (g + from) modulo their number,
    int at = -1;                // or of all in this one, if it is not negative
};
struct flow {
    double gb_per_s = 0;     // of all GPUs
    std::vector<double> ns;  // when each GPU's part of the longer run ended
};
flow flow_of(const gpu::gpu_spec& s, const stream& t, const run_environment& environment);

}  // namespace contraflow::validate
