// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/machine_run.h"

#include <memory>

#include "gpu/compute_unit/request_trace.h"
#include "lanes/lane_levels.h"
#include "observe/waves/signal_outputs.h"
#include "study/gpu_system_bench.h"

namespace contraflow::numa_gpu {
namespace {

class numa_bench final : public study::gpu_system_bench {
public:
    numa_bench(const gpu::gpu_spec& spec, const workloads::selection& w, const run_options& o, run_result& result)
        : gpu_system_bench(w, o.seen, spec, o.seen.series_window, o.controllers),
          options_(o),
          result_(result),
          signals_(o.seen.trace, o.seen.waves, o.seen.window) {}

    void ready() override {
        machine.pages().check_room();  // fail now rather than in the middle of the run
        const auto& seen = options_.seen;
        if (auto* const sink = signals_.sink(); sink != nullptr)
            waves_ = lanes::waves_of(machine.network(), *sink, simulation.events().now());
        if (seen.trace == nullptr) return;
        trace_ = std::make_unique<gpu::request_trace>(*seen.trace, seen.window);
        machine.profile().set_observer(trace_.get());
    }
    std::vector<runner::intervention> interventions() override {
        std::vector<runner::intervention> all;
        for (const auto& f : options_.lane_faults)
            all.push_back({f.at, [this, &f] { lanes::fail_lane(machine.network(), f); }});
        return all;
    }
    // After the program's end, links go on to the end of their window. Their work up to then counts.
    void sum_up(core::sim_time end) override {
        machine.settle();
        result_.links = lanes::results_of(machine.network(), end);
    }
    void stopped(core::sim_time now) override {
        if (options_.ended) options_.ended(now);
        result_.kernels = study::kernels_of(machine.host().launches());
        result_.requests = study::stages_of(machine.profile());
        if (trace_ != nullptr) result_.traced = trace_->shown();
    }

private:
    const run_options& options_;
    run_result& result_;
    observe::signal_outputs signals_;
    lanes::all_link_waves waves_;
    std::unique_ptr<gpu::request_trace> trace_;
};

}  // namespace

run_result run_machine(const gpu::gpu_spec& machine, const workloads::selection& workload, const run_options& options) {
    run_result r;
    runner::run(std::make_unique<numa_bench>(machine, workload, options, r), options.limits, r);
    return r;
}

}  // namespace contraflow::numa_gpu
