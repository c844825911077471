// SPDX-License-Identifier: Apache-2.0
// The host's time for a page's move: pages that move between large GPUs, one at a time and several at a time.
#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "host/system/unified_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;

// GPUs of 64 units with a second level of 2 MiB, as MGPUSim's R9 Nano; one GPU after the other writes a line of each
// page.
void moves(benchmark::State& state) {
    const auto pages = static_cast<std::uint32_t>(state.range(0));
    unified_machine::spec s;
    s.gpus = {};
    s.migration = {};
    s.gpus.gpu.sockets = 4;
    s.gpus.gpu.units = 64;
    s.gpus.gpu.l1.size = {16u << 10};
    s.gpus.gpu.l1.line = s.gpus.gpu.l2.bank.line = {64};
    s.gpus.gpu.l2.bank.size = {128u << 10};
    s.gpus.gpu.pages.page_size = {4096};
    s.gpus.translation.mode = gpu::translation_mode::timed;
    s.iommu.walks.kind = memory::walk_kind::memory;
    s.migration.when.policy = migration::policy_kind::always;
    s.migration.granularity = state.range(1) == 0 ? migration::granularity::page : migration::granularity::whole;
    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    unified_machine m(sim.events(), statistics, s);
    context& c = m.driver().create_context();
    const auto x = c.allocate<std::uint32_t>(std::size_t{pages} * 1024);
    std::vector<command_queue*> queues;
    for (unsigned g = 1; g <= 4; ++g) {
        c.select_gpu(g);
        queues.push_back(&c.create_queue());
    }
    for (auto _ : state) {
        auto round = [&]() -> gpu::host_task {
            for (command_queue* const q : queues)
                co_await q->launch({"touch", pages, 32, [=](gpu::wave w) -> gpu::kernel {
                                        co_await w.store(x, w.thread_ids() + w.cta() * 1024, 1u);
                                    }});
        };
        m.driver().start(round());
        sim.run();
    }
    const std::uint64_t moved = m.migrator()->statistics().moved.value();
    state.counters["moves"] = benchmark::Counter(static_cast<double>(moved), benchmark::Counter::kIsRate);
    state.counters["simulated_ns"] = m.migrator()->statistics().latency.mean();
}
BENCHMARK(moves)->Args({1, 0})->Args({64, 0})->Args({1, 1})->Args({64, 1})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
