// SPDX-License-Identifier: Apache-2.0
// A bench whose program is a workload: a GPU program with real data. A platform derives from program_bench<Machine> and
// names the part of the machine that takes the program's kernels, and how the program is started.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gpu/compute_unit/access_fault.h"
#include "gpu/compute_unit/request_profile.h"
#include "gpu/compute_unit/request_trace.h"
#include "gpu/kernel/gpu_system_if.h"
#include "gpu/kernel/task.h"
#include "observe/trace.h"
#include "observe/waves/wave_recording.h"
#include "runner/bench.h"
#include "traces/recorder.h"
#include "workloads/selection.h"

namespace contraflow::study {

// The observers of a run, in addition to its statistics. They take no simulated time.
struct observation {
    core::sim_time series_window = core::sim_time::from_us(1);  // window of statistics over time
    observe::trace* trace = nullptr;                            // null: no trace
    observe::wave_sink_if* waves = nullptr;                     // null: no waves
    gpu::trace_window window;                                   // requests that the trace shows
    std::ostream* record = nullptr;                             // takes the accesses of all wavefronts (sw/traces)
};

// Requests of units that have been answered.
std::uint64_t requests_of(const gpu::request_profile& p);

// The program and the recorder of its accesses.
class recorded_program {
public:
    recorded_program(const workloads::selection& w, std::ostream* record) : chosen_(w), record_(record) {}
    void prepare(gpu::gpu_system_if& machine);
    // Runs on the machine, or on the recorder before it.
    gpu::host_task run() { return program_->run(*gpus_); }
    void finish_record() {
        if (recorder_) recorder_->finish();
    }
    std::string verify(gpu::device_memory& memory) { return program_->verify(memory); }

private:
    const workloads::selection chosen_;
    std::ostream* const record_;
    gpu::gpu_system_if* gpus_ = nullptr;
    std::unique_ptr<traces::recorder> recorder_;
    std::unique_ptr<workloads::workload_if> program_;
};

bool does_not_fit(const std::exception& e);
// The message of an access fault, with the text of `nearest` for an address that is not mapped, and the fault's time.
std::string fault_text(const std::exception& e, core::sim_time& at,
                       const std::function<std::string(const gpu::access_fault&)>& nearest);

// Machine: built from events, statistics and what the bench is given; it is a core::waiter_if with moved(),
// computing(), outstanding(), settle() and check().
template <class Machine> class program_bench : public runner::bench {
public:
    template <class... Arguments>
    program_bench(const workloads::selection& w, const observation& seen, Arguments&&... arguments)
        : bench(core::time_source::scheduler),
          machine(simulation.events(), statistics, std::forward<Arguments>(arguments)...),
          program_(w, seen.record) {}

    std::vector<const core::waiter_if*> waiters() const override { return {&machine}; }
    // A wavefront that computes moves nothing: time that passes is progress then.
    std::uint64_t moved() override {
        return machine.moved() + (machine.computing() ? simulation.events().now().ps : 0);
    }
    std::uint64_t outstanding() override { return machine.outstanding(); }
    void prepare() override { program_.prepare(target()); }
    void start(std::function<void()> ended) override { start_program(program_.run(), std::move(ended)); }
    void check(observe::conservation& checks) override {
        program_.finish_record();
        machine.settle();
        machine.check(checks);
    }
    std::string verify() override { return program_.verify(target().memory()); }
    bool is_capacity_error(const std::exception& e) const override { return does_not_fit(e); }
    std::string fault_text(const std::exception& e, core::sim_time& at) override {
        return study::fault_text(e, at, [this](const gpu::access_fault& f) { return nearest_text(f); });
    }

protected:
    // The part of the machine that takes kernels and holds the data.
    virtual gpu::gpu_system_if& target() = 0;
    virtual void start_program(gpu::host_task program, std::function<void()> ended) = 0;
    // For an access to an address that is not mapped: "; the nearest array is ..."
    virtual std::string nearest_text(const gpu::access_fault&) { return {}; }

    Machine machine;

private:
    recorded_program program_;  // after the machine: it refers to it
};

}  // namespace contraflow::study
