// SPDX-License-Identifier: Apache-2.0
// The speed of simulating several GPUs under one driver, with addresses translated at once and in time: line requests
// per second of host time that stay in a GPU, and that cross a PCIe tree; and the host memory of large machines.
#include <malloc.h>

#include <memory>

#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "host/system/unified_machine.h"
#include "resident.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;

enum way : std::int64_t { instant, fixed_walks, walks_in_memory };

struct bench_machine {
    bench_machine(unsigned gpus, std::int64_t how) : whole(sim.events(), statistics, spec(gpus, how)) {}
    static unified_machine::spec spec(unsigned gpus, std::int64_t how) {
        unified_machine::spec s;
        s.gpus = {};
        s.migration = {};
        s.gpus.gpu.sockets = gpus;
        s.gpus.gpu.pages.page_size = {4096};
        s.gpus.gpu.network.in_pcie_tree = true;
        if (how != instant) s.gpus.translation.mode = gpu::translation_mode::timed;
        if (how == walks_in_memory) s.iommu.walks.kind = memory::walk_kind::memory;
        return s;
    }
    std::uint64_t requests(bool remote) {
        std::uint64_t sum = 0;
        for (const auto k : {gpu::access_kind::load, gpu::access_kind::store, gpu::access_kind::atomic})
            sum += whole.gpus().profile().count(k, remote);
        return sum;
    }
    void run(gpu::host_task program) {
        whole.driver().start(std::move(program));
        sim.run();
        whole.driver().rethrow();
    }

    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    unified_machine whole;
};

template <class Work> void measure(benchmark::State& state, unsigned gpus, bool remote, Work work) {
    std::uint64_t requests = 0, events = 0;
    for (auto _ : state) {
        state.PauseTiming();
        auto built = std::make_unique<bench_machine>(gpus, state.range(0));
        state.ResumeTiming();
        built->run(work(*built));
        requests += built->requests(remote);
        events += built->sim.events().executed();
        state.PauseTiming();
        built.reset();
        state.ResumeTiming();
    }
    state.counters["accesses/s"] = benchmark::Counter(static_cast<double>(requests), benchmark::Counter::kIsRate);
    state.counters["callbacks/access"] = static_cast<double>(events) / static_cast<double>(requests);
}

// c = a + b on one GPU: every unit translates every page of 4 KiB once.
void triad_of_one_gpu(benchmark::State& state) {
    constexpr std::size_t n = std::size_t{1} << 20;
    measure(state, 1, false, [](bench_machine& m) -> gpu::host_task {
        context& c = m.whole.driver().create_context();
        const auto x = c.allocate<double>(n), y = c.allocate<double>(n), z = c.allocate<double>(n);
        co_await c.create_queue().launch({"triad", 256, 256, [=](gpu::wave w) -> gpu::kernel {
                                              for (auto i : w.own(n))
                                                  co_await w.store(z, i,
                                                                   co_await w.load(x, i) + 3.0 * co_await w.load(y, i));
                                          }});
    });
}
BENCHMARK(triad_of_one_gpu)->Arg(instant)->Arg(fixed_walks)->Arg(walks_in_memory)->Unit(benchmark::kMillisecond);

// Four GPUs read interleaved pages: three lines of four are remote.
void reads_over_pcie(benchmark::State& state) {
    constexpr std::size_t n = std::size_t{1} << 19;
    measure(state, 4, true, [](bench_machine& m) -> gpu::host_task {
        context& c = m.whole.driver().create_context();
        c.select_gpu(c.create_unified_gpu({1, 2, 3, 4}));
        const auto x = c.allocate<double>(n);
        co_await c.create_queue().launch({"read", 256, 256, [=](gpu::wave w) -> gpu::kernel {
                                              for (auto i : w.own(n)) co_await w.load(x, i);
                                          }});
    });
}
BENCHMARK(reads_over_pcie)->Arg(instant)->Arg(fixed_walks)->Arg(walks_in_memory)->Unit(benchmark::kMillisecond);

// Eight GPUs of 64 units touch 256 MiB of their memory, half of it by writes. Each unit runs a number of CTAs of 8
// wavefronts in turn, and has room for 4 at a time.
void footprint(benchmark::State& state) {
    unified_machine::spec s = bench_machine::spec(8, fixed_walks);
    s.gpus.gpu.units = 64;
    s.gpus.gpu.l2.bank.size = {128u << 10};
    constexpr std::size_t n = std::size_t{1} << 24;
    const auto ctas = static_cast<std::uint32_t>(8 * 64 * state.range(0));
    for (auto _ : state) {
        malloc_trim(0);  // returns memory of earlier runs
        core::simulation sim{core::time_source::scheduler};
        observe::statistics statistics;
        unified_machine m(sim.events(), statistics, s);
        context& c = m.driver().create_context();
        const double empty = resident_megabytes();
        c.select_gpu(c.create_unified_gpu({1, 2, 3, 4, 5, 6, 7, 8}));
        const auto x = c.allocate<double>(n), y = c.allocate<double>(n);
        auto program = [&]() -> gpu::host_task {
            co_await c.create_queue().launch({"copy", ctas, 256, [=](gpu::wave w) -> gpu::kernel {
                                                  for (auto i : w.own(n))
                                                      co_await w.store(y, i, co_await w.load(x, i) + 1.0);
                                              }});
        };
        m.driver().start(program());
        sim.run();
        m.driver().rethrow();
        state.counters["MB idle"] = empty;
        state.counters["MB resident"] = resident_megabytes();
    }
}
BENCHMARK(footprint)->Arg(1)->Arg(8)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
