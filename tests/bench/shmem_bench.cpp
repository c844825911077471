// SPDX-License-Identifier: Apache-2.0
// Puts of kernels, simulated a second of processor time.
#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "shmem/context.h"
#include "shmem/job.h"
#include "shmem/programs/jacobi.h"
#include "shmem/programs/scheme_run.h"

using namespace contraflow;

namespace {

using word = std::uint64_t;

struct putter {
    shmem::job& job;
    gpu::array<word> x;
    unsigned puts, bytes;
    gpu::kernel body(gpu::wave w) {
        shmem::context c(job[0], w);
        co_await c.create(static_cast<unsigned>(w.cta()));
        for (unsigned i = 0; i < puts; ++i)
            if (bytes == 0)
                co_await c.p(x, i, 1);
            else
                co_await c.put_nbi(x, x.slice(64, bytes / 8), bytes / 8, 1);
        co_await c.destroy();
    }
};

gpu::host_task program(gpu::gpu_system_if& gpu, putter& p, unsigned workgroups) {
    co_await gpu.launch({"puts", workgroups, 32, &p, &putter::body, shmem::context::scratchpad(p.job[0])});
}

// Arguments: bytes, 0 for a value in the entry; workgroups.
void puts(benchmark::State& state) {
    host::queue_pair_cluster::spec c;
    c.node.nic.queues = 128;
    shmem::spec s;
    s.contexts = static_cast<unsigned>(state.range(1));
    const unsigned each = 4000 / s.contexts;
    for (auto _ : state) {
        state.PauseTiming();
        {
            core::simulation sim{core::time_source::scheduler};
            observe::statistics statistics;
            host::queue_pair_cluster cluster("", sim.events(), statistics, c);
            shmem::job job(sim.events(), cluster, s);
            gpu::array<word> x;
            for (unsigned i = 0; i < 2; ++i) x = job[i].malloc<word>(4096);
            sim.run_to(core::sim_time::from_us(1));
            sim.run();
            putter p{job, x, each, static_cast<unsigned>(state.range(0))};
            state.ResumeTiming();
            cluster.node(0).gpu().host().start(program(cluster.node(0).gpu().host(), p, s.contexts));
            sim.run();
            state.PauseTiming();
            cluster.node(0).gpu().host().rethrow();
            if (cluster.node(0).nic().sends().done() < 4000) state.SkipWithError("puts are missing");
        }
        state.ResumeTiming();
    }
    state.counters["puts"] =
        benchmark::Counter(4000.0 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(puts)->Args({0, 1})->Args({8, 1})->Args({0, 16})->Args({8, 16})->Args({0, 64})->Args({8, 64})->Unit(
    benchmark::kMillisecond);

// One iteration on four nodes with a square grid each, on an MI25. Argument: its rows.
void jacobi_iteration(benchmark::State& state) {
    host::queue_pair_cluster::spec c;
    c.nodes = 4;
    c.node.nic.queues = 1024;
    const auto n = static_cast<unsigned>(state.range(0));
    for (auto _ : state) {
        core::simulation sim{core::time_source::scheduler};
        observe::statistics statistics;
        host::queue_pair_cluster cluster("", sim.events(), statistics, c);
        shmem::jacobi program({n, n, 1, 128, 256});
        shmem::scheme_run run(sim.events(), cluster, program, {});
        sim.run_to(core::sim_time::from_us(1));
        sim.run();
        run.start();
        sim.run();
        if (!run.finished() || !run.problem().empty()) state.SkipWithError("it is wrong");
        state.counters["us"] = static_cast<double>((run.step_ends(0)[0] - run.started()).ps) / 1e6;
    }
}
BENCHMARK(jacobi_iteration)->Arg(128)->Arg(512)->Arg(1024)->Arg(2048)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
