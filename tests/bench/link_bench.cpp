// SPDX-License-Identifier: Apache-2.0
// Packets per second through one reversible link, and callbacks per packet: under load, without, short of credits, with
// many lanes; and cycles per second of the harness.
#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "link/cases/lane_harness.h"
#include "link/lanes/policies.h"
#include "link/reversible_link.h"

using namespace contraflow;
using namespace contraflow::link;

namespace {

// Sends as fast as possible, or one packet a period; takes arrivals at once.
class end final : public link_end_if {
public:
    end(core::scheduler& events, reversible_link& l, side s) : events_(events), port_(l.port(s)) {
        port_.attach(*this, 0, s == side::a ? "a" : "b");
    }
    void start(std::uint64_t packets, core::sim_time period = {}) {
        left_ = packets;
        period_ = period;
        if (period.ps == 0)
            push();
        else
            tick();
    }

private:
    packet next() {
        packet p;
        p.bytes = 128;
        p.vc = left_-- & 1;
        return p;
    }
    void push() {
        while (left_ > 0 && port_.can_send(left_ & 1)) port_.send(next());
    }
    void tick() {
        port_.send(next());
        if (left_ > 0) events_.after<&end::tick>(period_, this);
    }
    void packet_arrived(unsigned, unsigned vc) override { port_.pop(vc); }
    void link_ready(unsigned, unsigned) override { push(); }
    void packet_dropped(unsigned, const packet&) override {}

    core::scheduler& events_;
    link_port& port_;
    std::uint64_t left_ = 0;
    core::sim_time period_{};
};

constexpr std::uint64_t packets = 100'000;

void run(benchmark::State& state, const link_spec& s, bool both_ways, core::sim_time period = {}) {
    std::uint64_t moved = 0, callbacks = 0;
    for (auto _ : state) {
        core::simulation sim{core::time_source::scheduler};
        observe::statistics statistics;
        reversible_link l("link", {sim.events(), statistics, core::sim_time::from_ns(1), core::sim_time::from_us(5)},
                          s);
        end a(sim.events(), l, side::a), b(sim.events(), l, side::b);
        a.start(packets, period);
        if (both_ways) b.start(packets, period);
        sim.run();
        moved += l.moved();
        callbacks += sim.events().executed() - (period.ps == 0 ? 0 : l.moved());  // without the senders' own callbacks
    }
    state.counters["packets/s"] = benchmark::Counter(static_cast<double>(moved), benchmark::Counter::kIsRate);
    state.counters["callbacks/packet"] = static_cast<double>(callbacks) / static_cast<double>(moved);
}

link_spec lanes(std::uint32_t n) {
    link_spec s;
    s.lanes.lanes_per_direction = n;
    s.receive_buffer = {1u << 18};
    return s;
}

void saturated_one_way(benchmark::State& state) {
    run(state, lanes(static_cast<std::uint32_t>(state.range(0))), false);
}
BENCHMARK(saturated_one_way)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

void saturated_both_ways(benchmark::State& state) { run(state, lanes(8), true); }
BENCHMARK(saturated_both_ways)->Unit(benchmark::kMillisecond);

void lightly_loaded(benchmark::State& state) { run(state, lanes(8), true, core::sim_time::from_ns(20)); }
BENCHMARK(lightly_loaded)->Unit(benchmark::kMillisecond);

void short_of_credits(benchmark::State& state) {
    link_spec s;
    s.receive_buffer = {1024};
    run(state, s, false);
}
BENCHMARK(short_of_credits)->Unit(benchmark::kMillisecond);

void harness_cycles(benchmark::State& state) {
    lane_spec s;
    std::uint64_t cycles = 0;
    for (auto _ : state) {
        const auto lanes = make_lane_bank(s);
        cycles += replay(*lanes, {{10'000'000, {12, 5}, false}, {10'000'000, {2, 11}, false}}).drained;
    }
    state.counters["cycles/s"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}
BENCHMARK(harness_cycles)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
