// SPDX-License-Identifier: Apache-2.0
// Accesses a second through the memory system, with real data: hits in a first-level cache; misses of it that hit in
// the second level; misses of both, which read the memory; writes. One requester keeps as many requests under way as a
// compute unit would.
#include <vector>

#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "memory/cache/cache.h"
#include "memory/crossbar/crossbar.h"
#include "memory/dram/dram.h"

#include "../memory/socket.h"

using namespace contraflow;
using namespace contraflow::memory;

namespace {

constexpr unsigned line = 128;

struct one_output final : address_to_port_if {
    unsigned find(std::uint64_t) const override { return 0; }
    std::uint64_t span(std::uint64_t) const override { return std::uint64_t{1} << 40; }
};

// Requests the lines of a range in order, one a cycle.
class requester : public sc_core::sc_module, private request_owner_if {
public:
    requester(const sc_core::sc_module_name& name, const resources& shared, std::uint64_t lines, bool writes)
        : sc_core::sc_module(name),
          port("port", shared, *this),
          events_(shared.events),
          payloads_(shared.payloads),
          lines_(lines),
          writes_(writes) {}

    request_port port;
    std::uint64_t left = 0;
    void start(std::uint64_t requests) {
        left = requests;
        wake();
    }

private:
    static constexpr unsigned outstanding = 48;

    void wake() {
        if (armed_ || left == 0 || under_way_ == outstanding || !port.ready()) return;
        armed_ = true;
        events_.after<&requester::send>(core::sim_time::from_ns(1), this);
    }
    void send() {
        armed_ = false;
        payload& p = payloads_.take();
        if (writes_)
            p.write(next_ * line, line);
        else
            p.read(next_ * line, line);
        p.extension().times.begin(events_.now());
        next_ = next_ + 1 == lines_ ? 0 : next_ + 1;
        --left;
        ++under_way_;
        port.send(p.extension());
        wake();
    }
    bool response_arrived(unsigned, memory_extension& request) override {
        benchmark::DoNotOptimize(request.carrier().get_data_ptr()[0]);
        payloads_.release(static_cast<payload&>(request.carrier()));
        --under_way_;
        wake();
        return true;
    }
    void request_port_ready(unsigned) override { wake(); }

    core::scheduler& events_;
    payload_pool& payloads_;
    const std::uint64_t lines_;
    const bool writes_;
    std::uint64_t next_ = 0;
    unsigned under_way_ = 0;
    bool armed_ = false;
};

struct machine {
    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    payload_pool payloads;
    resources shared{sim.events(), statistics, payloads};
    one_output routes;
    requester unit;
    cache l1;
    crossbar bar;
    cache l2;
    dram home;

    static cache_spec second_level() {
        cache_spec s;
        s.size = {1u << 20};
        s.ways = 16;
        s.writes = write_policy::back;
        s.atomics = atomics_at::here;
        s.covers = scope::system;
        s.level = cache_level::l2;
        s.hit_latency = core::cycles{40};
        return s;
    }
    machine(std::uint64_t lines, bool writes)
        : unit("unit", shared, lines, writes),
          l1("l1", shared, cache_spec{}),
          bar("bar", shared, crossbar_spec{}, routes),
          l2("l2", shared, second_level()),
          home("home", shared, dram_spec{}) {
        unit.port.bind(l1.up);
        l1.down.bind(bar.up(0));
        bar.down(0).bind(l2.up);
        l2.down.bind(home.up());
    }
};

void accesses(benchmark::State& state, std::uint64_t lines, bool writes) {
    machine m(lines, writes);
    m.unit.start(2 * lines);
    m.sim.run();  // reaches the steady state
    std::uint64_t done = 0;
    const std::uint64_t callbacks = m.sim.events().executed();
    for (auto _ : state) {
        m.unit.start(100'000);
        m.sim.run();
        done += 100'000;
    }
    state.counters["accesses/s"] = benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
    state.counters["callbacks/access"] =
        static_cast<double>(m.sim.events().executed() - callbacks) / static_cast<double>(done);
}
BENCHMARK_CAPTURE(accesses, l1_hits, 128, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(accesses, l2_hits, 4096, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(accesses, dram_reads, 65536, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(accesses, writes_to_l2, 4096, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(accesses, writes_to_dram, 65536, true)->Unit(benchmark::kMillisecond)->UseRealTime();

// Four sockets of 16 units and 16 banks, each unit at its own 256 KiB: a third writes, reads come from the memory.
void four_sockets(benchmark::State& state) {
    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    payload_pool payloads;
    const resources shared{sim.events(), statistics, payloads};
    std::vector<std::unique_ptr<memory::testing::socket>> sockets;
    for (unsigned i = 0; i < 4; ++i)
        sockets.push_back(
            std::make_unique<memory::testing::socket>(i, shared, static_cast<unsigned>(state.range(0)), 16, 1u << 20));
    constexpr std::uint64_t requests = 8192;
    for (const auto& s : sockets) s->start(requests);
    sim.run();
    std::uint64_t done = 0;
    const std::uint64_t callbacks = sim.events().executed();
    for (auto _ : state) {
        for (const auto& s : sockets) s->start(requests);
        sim.run();
        done += 4 * static_cast<std::uint64_t>(state.range(0)) * requests;
    }
    state.counters["accesses/s"] = benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
    state.counters["callbacks/access"] =
        static_cast<double>(sim.events().executed() - callbacks) / static_cast<double>(done);
}
BENCHMARK(four_sockets)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
