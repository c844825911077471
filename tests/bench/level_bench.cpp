// SPDX-License-Identifier: Apache-2.0
// The cost of RTL lane controllers in all links: the main job's machine and workloads with links that
// turn lanes, at each level in turn, in one run; and clock cycles per second of the block itself.
#include <algorithm>

#include <benchmark/benchmark.h>

#include "config/config.h"
#include "cosim/controller_set.h"
#include "cosim/lane_lockstep.h"
#include "numa_gpu/experiment.h"
#include "numa_gpu/machine_run.h"
#include "processor_time.h"

using namespace contraflow;

namespace {

constexpr double most_ratio = 1.15;

numa_gpu::experiment main_job() {
    config::diagnostics diag;
    const auto file = config::read_source(CF_MAIN_JOB, diag);
    return config::load<numa_gpu::experiment>(file, {}, diag).value;
}

struct outcome {
    double seconds = 0;
    core::sim_time end{};
    std::uint64_t turns = 0;
};

outcome run(const numa_gpu::experiment& e, const workloads::selection& w, cosim::controller_level level) {
    cosim::controller_set controllers(level, false);
    numa_gpu::run_options options;
    options.controllers = controllers.factory();
    const double begun = processor_seconds();
    const auto r = numa_gpu::run_machine(machine_with(numa_gpu::links::dynamic, e.gpu), w, options);
    return {processor_seconds() - begun, r.end, r.turns()};
}

void rtl_against_tlm(benchmark::State& state) {
    const auto e = main_job();
    const auto w = workloads_of(e, e.gpu.sockets)[static_cast<std::size_t>(state.range(0))];
    state.SetLabel(w.name());
    double tlm = 1e9, rtl = 1e9;
    std::uint64_t turns = 0;
    for (auto _ : state) {
        const outcome model = run(e, w, cosim::controller_level::tlm), block = run(e, w, cosim::controller_level::rtl);
        if (model.end != block.end || model.turns != block.turns) state.SkipWithError("the levels differ");
        tlm = std::min(tlm, model.seconds);
        rtl = std::min(rtl, block.seconds);
        turns = block.turns;
    }
    state.counters["tlm_s"] = tlm;
    state.counters["rtl_s"] = rtl;
    state.counters["rtl/tlm"] = rtl / tlm;
    state.counters["turns"] = static_cast<double>(turns);
    if (rtl > most_ratio * tlm) state.SkipWithError("the run with RTL takes more than 1.15 times as long");
}
BENCHMARK(rtl_against_tlm)->Arg(0)->Arg(1)->Iterations(3)->Unit(benchmark::kSecond);

// Cycles per second: the core alone, clocked in each cycle, and the whole block together with the model.
void core_cycles(benchmark::State& state) {
    const auto core = cosim::make_lane_core(8);
    cosim::inputs in;
    in.fault = cosim::start(*core, {}, {8, 8});
    in.rst_n = true;
    for (auto _ : state) {
        core->edge();
        core->drive(in);
    }
    state.SetItemsProcessed(state.iterations());
}
void lockstep_cycles(benchmark::State& state) {
    cosim::lane_lockstep both("link", {});
    for (auto _ : state) {
        both.prepare({});
        both.begin();
        both.issue({both.view().lanes_ab, 2});
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(core_cycles);
BENCHMARK(lockstep_cycles);

}  // namespace

BENCHMARK_MAIN();
