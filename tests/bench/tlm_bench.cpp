// SPDX-License-Identifier: Apache-2.0
// TLP hops per second of the TLM model on T2 with four streams, and the rates of the scheduler and the bare kernel.
#include <atomic>

#include <benchmark/benchmark.h>

#include "../pcie/tlm/trees.h"

using namespace contraflow;
using namespace contraflow::pcie;
using pcie::testing::send;

namespace {

void four_streams(benchmark::State& state) {
    const topology t = pcie::testing::t2();
    fabric_spec s;
    s.max_payload = {static_cast<std::uint64_t>(state.range(0))};
    std::uint64_t hops = 0;
    std::uint64_t callbacks = 0;
    for (auto _ : state) {
        core::simulation sim{core::time_source::scheduler};
        constexpr std::uint64_t size = 4u << 20;
        fabric f(sim, t, s,
                 {send(t, "gpu0", "gpu2", size), send(t, "gpu1", "gpu4", size), send(t, "gpu3", "gpu2", size),
                  send(t, "gpu6", "gpu4", size)});
        sim.run();
        hops += f.tlps_moved();
        callbacks += sim.events().executed();
    }
    state.counters["TLP-hops/s"] = benchmark::Counter(static_cast<double>(hops), benchmark::Counter::kIsRate);
    state.counters["callbacks/hop"] = static_cast<double>(callbacks) / static_cast<double>(hops);
}
BENCHMARK(four_streams)->Arg(128)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();

// Callbacks per second with that number pending.
void scheduler_callbacks(benchmark::State& state) {
    struct ticker {
        core::scheduler& events;
        std::uint64_t& left;
        core::sim_time period;
        void tick() {
            if (left-- > 0)
                events.after<&ticker::tick>(period, this);
            else
                left = 0;
        }
    };
    std::uint64_t total = 0;
    for (auto _ : state) {
        core::simulation sim;
        std::uint64_t left = 400'000;
        std::vector<ticker> all;
        all.reserve(static_cast<std::size_t>(state.range(0)));
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            all.push_back({sim.events(), left, {static_cast<std::uint64_t>(1000 + 7 * i)}});
            sim.events().after<&ticker::tick>(all.back().period, &all.back());
        }
        while (left > 1000) sim.run_until(sim.events().now() + core::sim_time::from_us(1));
        total += sim.events().executed();
    }
    state.counters["callbacks/s"] = benchmark::Counter(static_cast<double>(total), benchmark::Counter::kIsRate);
}
BENCHMARK(scheduler_callbacks)->Arg(1)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond)->UseRealTime();

// prevents the compiler from removing it
struct event_ticker : sc_core::sc_module {
    sc_core::sc_event wake;
    std::atomic<std::uint64_t>& count;  // changes where the compiler cannot see it
    sc_core::sc_time period;
    event_ticker(const sc_core::sc_module_name& name, std::atomic<std::uint64_t>& c, std::uint64_t ps)
        : sc_module(name),
          count(c),
          period(sc_core::sc_time::from_value(ps)) {
        SC_HAS_PROCESS(event_ticker);
        SC_METHOD(tick);
        sensitive << wake;
    }
    void tick() {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        wake.notify(period);
    }
};

void kernel_events(benchmark::State& state) {
    std::uint64_t total = 0;
    for (auto _ : state) {
        core::simulation sim;
        std::atomic<std::uint64_t> count{0};
        std::vector<std::unique_ptr<event_ticker>> all;
        for (std::int64_t i = 0; i < state.range(0); ++i)
            all.push_back(std::make_unique<event_ticker>(sc_core::sc_gen_unique_name("ticker"), count,
                                                         static_cast<std::uint64_t>(1000 + 7 * i)));
        while (count < 400'000) sim.run_until(sim.events().now() + core::sim_time::from_us(1));
        total += count;
    }
    state.counters["events/s"] = benchmark::Counter(static_cast<double>(total), benchmark::Counter::kIsRate);
}
BENCHMARK(kernel_events)->Arg(1)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
