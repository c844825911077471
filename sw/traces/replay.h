// SPDX-License-Identifier: Apache-2.0
// Runs a trace on a machine: the same arrays, launches and instructions as were recorded, without the computation
// between them. On the machine it was recorded on it takes the same time to the cycle.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/kernel/gpu_system_if.h"
#include "traces/trace.h"

namespace contraflow::traces {

// The trace has an access that must fail, but this machine permits every access.
class rights_not_kept : public std::runtime_error {
public:
    explicit rights_not_kept(std::size_t array);
};

// The machine's wavefronts have another width than those of the trace, so none of these is one of those.
class other_wave_width : public std::runtime_error {
public:
    other_wave_width(unsigned trace, unsigned machine);
    unsigned of_trace() const { return trace_; }

private:
    unsigned trace_;
};

class replay {
public:
    explicit replay(trace t) : trace_(std::move(t)) {}

    // Throws rights_not_kept.
    void prepare(gpu::device_memory& memory);
    // Ends with other_wave_width before its first launch.
    gpu::host_task run(gpu::gpu_system_if& gpu);
    // Empty if every recorded instruction was carried out.
    std::string verify() const;

    const trace& what() const { return trace_; }

private:
    // The data by which a wavefront reads its steps.
    struct reader {
        step_decoder steps;
        step now;
        std::map<std::uint64_t, gpu::wave_access*> ahead;  // loads that no step has used yet, by their number
        std::vector<gpu::wave_access*> waiting;            // that the wavefront waits for
    };

    void write(gpu::device_memory& memory, const host_write& w) const;
    gpu::kernel wavefront(gpu::wave w, const trace::launch* l);
    reader& free_reader();

    const trace trace_;
    std::vector<std::uint64_t> addresses_;  // by array
    std::vector<std::unique_ptr<reader>> readers_;
    std::vector<reader*> free_;
    std::uint64_t done_ = 0;
};

}  // namespace contraflow::traces
