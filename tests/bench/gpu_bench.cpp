// SPDX-License-Identifier: Apache-2.0
// The speed of simulating a NUMA GPU of 4 sockets x 16 units: line requests per second of host time that stay in
// their socket, and that cross the links; and the host memory of 4 x 64 units with 64 MB of data.
#include <memory>

#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "gpu/system/gpu_system.h"
#include "resident.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;

// Answers after 400 cycles; a page is placed by its first requester.
struct placing_level final : core::channel_receiver_if<memory::translation_request*> {
    explicit placing_level(core::scheduler& s) : events(s), requests(s, "placing_level", *this) {}
    bool can_take(unsigned, memory::translation_request* const&) override { return true; }
    void take(unsigned, memory::translation_request* r) override {
        events.after(
            core::sim_time::from_ns(400),
            [](void* o, std::uint64_t request) {
                auto& r = *reinterpret_cast<memory::translation_request*>(request);
                memory::page_table& pages = *static_cast<placing_level*>(o)->pages;
                const std::uint64_t first = r.address & ~(pages.page_size() - 1);
                r.status = memory::translation_status::translated;
                r.page = {first, pages.translate(first, r.origin.gpu), 0, memory::page_bits_64k,
                          memory::access_rights::read_write};
                r.spent_in(memory::stage::iommu, static_cast<placing_level*>(o)->events.now());
                memory::translation_server::answer(r);
            },
            this, reinterpret_cast<std::uint64_t>(r));
    }
    core::scheduler& events;
    memory::translation_server requests;
    memory::page_table* pages = nullptr;
};

struct machine {
    explicit machine(const gpu_spec& s, bool translated = false)
        : gpu(sim.events(), statistics, translated ? with(s, level) : s) {
        level.pages = &gpu.pages();
    }
    static gpu_spec with(gpu_spec s, placing_level& below) {
        s.unit.translation = &below.requests;
        return s;
    }
    void run(host_task program) {
        gpu.host().start(std::move(program));
        sim.run();
        gpu.host().rethrow();
    }
    std::uint64_t requests(bool remote) {
        std::uint64_t sum = 0;
        for (const access_kind k : {access_kind::load, access_kind::store, access_kind::atomic})
            sum += gpu.profile().count(k, remote);
        return sum;
    }

    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    placing_level level{sim.events()};
    gpu_system gpu;
};

// c = a + b over arrays of which each socket has its part.
void local_triad(benchmark::State& state) {
    gpu_spec s;
    s.sockets = static_cast<unsigned>(state.range(0));
    const std::size_t n = std::size_t{1} << 20;
    std::uint64_t requests = 0, events = 0;
    for (auto _ : state) {
        state.PauseTiming();
        auto built = std::make_unique<machine>(s);
        machine& m = *built;
        state.ResumeTiming();
        auto a = m.gpu.memory().allocate<double>(n), b = m.gpu.memory().allocate<double>(n),
             c = m.gpu.memory().allocate<double>(n);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"triad", 256, 256, [=](wave w) -> kernel {
                                     for (auto i : w.own(n))
                                         co_await w.store(c, i, co_await w.load(a, i) + 3.0 * co_await w.load(b, i));
                                 }});
        };
        m.run(program(m.gpu.host()));
        requests += m.requests(false);
        events += m.sim.events().executed();
        if (m.requests(true) != 0) state.SkipWithError("something crossed the links");
        state.PauseTiming();
        built.reset();
        state.ResumeTiming();
    }
    state.counters["L1 accesses/s"] = benchmark::Counter(static_cast<double>(requests), benchmark::Counter::kIsRate);
    state.counters["callbacks/access"] = static_cast<double>(events) / static_cast<double>(requests);
    state.counters["callbacks/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(local_triad)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

// The same as local_triad with an L1 TLB before every unit: nearly all of its accesses hit there.
void translated_triad(benchmark::State& state) {
    const std::size_t n = std::size_t{1} << 20;
    std::uint64_t requests = 0, events = 0;
    for (auto _ : state) {
        state.PauseTiming();
        gpu_spec s;
        s.sockets = static_cast<unsigned>(state.range(0));
        auto built = std::make_unique<machine>(s, state.range(1) != 0);
        machine& m = *built;
        state.ResumeTiming();
        auto a = m.gpu.memory().allocate<double>(n), b = m.gpu.memory().allocate<double>(n),
             c = m.gpu.memory().allocate<double>(n);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"triad", 256, 256, [=](wave w) -> kernel {
                                     for (auto i : w.own(n))
                                         co_await w.store(c, i, co_await w.load(a, i) + 3.0 * co_await w.load(b, i));
                                 }});
        };
        m.run(program(m.gpu.host()));
        requests += m.requests(false);
        events += m.sim.events().executed();
        state.PauseTiming();
        built.reset();
        state.ResumeTiming();
    }
    state.counters["L1 accesses/s"] = benchmark::Counter(static_cast<double>(requests), benchmark::Counter::kIsRate);
    state.counters["callbacks/access"] = static_cast<double>(events) / static_cast<double>(requests);
}
BENCHMARK(translated_triad)->Args({4, 0})->Args({4, 1})->Unit(benchmark::kMillisecond);

// Every socket reads the next one's data.
void remote_reads(benchmark::State& state) {
    gpu_spec s;
    s.coherence = state.range(0) == 0 ? coherence::memory_side : coherence::remote_caching;
    const std::size_t n = std::size_t{1} << 20;
    std::uint64_t requests = 0, events = 0;
    for (auto _ : state) {
        state.PauseTiming();
        auto built = std::make_unique<machine>(s);
        machine& m = *built;
        state.ResumeTiming();
        auto a = m.gpu.memory().allocate<double>(n);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"own", 128, 256, [=](wave w) -> kernel {
                                     for (auto i : w.own(n / 8192)) co_await w.load(a, i * 8192);
                                 }});
            co_await gpu.launch({"read", 256, 256, [=](wave w) -> kernel {
                                     for (auto i : w.own(n)) co_await w.load(a, (i + n / 4) % n);
                                 }});
        };
        m.run(program(m.gpu.host()));
        requests += m.requests(true);
        events += m.sim.events().executed();
        state.PauseTiming();
        built.reset();
        state.ResumeTiming();
    }
    state.counters["remote accesses/s"] =
        benchmark::Counter(static_cast<double>(requests), benchmark::Counter::kIsRate);
    state.counters["callbacks/access"] = static_cast<double>(events) / static_cast<double>(requests);
}
BENCHMARK(remote_reads)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void footprint(benchmark::State& state) {
    gpu_spec s;
    s.units = 64;
    const std::size_t n = std::size_t{1} << 22;  // 2 arrays of 32 MiB
    double most = 0;
    for (auto _ : state) {
        machine m(s);
        auto a = m.gpu.memory().allocate<double>(n), b = m.gpu.memory().allocate<double>(n);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"copy", 2048, 256, [=](wave w) -> kernel {
                                     for (auto i : w.own(n)) co_await w.store(b, i, co_await w.load(a, i) + 1.0);
                                 }});
        };
        m.run(program(m.gpu.host()));
        most = resident_megabytes();
    }
    state.counters["MB resident"] = most;
}
BENCHMARK(footprint)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
