// SPDX-License-Identifier: Apache-2.0
// Packets over links per second in a torus, and callbacks per packet and link: full of uniform traffic, lightly loaded,
// one packet at a time.
#include <deque>

#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "net/torus/torus_network.h"
#include "net/traffic/traffic_pattern.h"

using namespace contraflow;

namespace {

// Keeps the largest number of packets in flight; each packet taken makes room for another one.
class source final : public net::client_if {
public:
    source(net::torus_network& n, const net::traffic_targets& t, unsigned number, unsigned packets)
        : port_(n.port(number)),
          targets_(t),
          number_(number),
          draw_(number),
          left_(packets) {
        port_.set_client(*this);
    }
    void add(unsigned packets) {
        left_ += packets;
        go_on();
    }
    void go_on() {
        while (left_ > 0) {
            if (target_ == nobody) target_ = targets_.next(number_, draw_);
            if (!port_.can_inject(net::packet_class::response, target_)) return;
            --left_;
            port_.inject(net::packet_class::response,
                         {&cargo_, 512, static_cast<std::uint16_t>(number_), static_cast<std::uint16_t>(target_)});
            target_ = nobody;
        }
    }

private:
    static constexpr unsigned nobody = ~0u;
    struct cargo final : core::transfer {
        void crossed(const char*, bool, core::sim_time, core::sim_time) override {}
        void passed(const char*, core::sim_time) override {}
    };
    bool can_take(net::packet_class, const link::packet&) override { return true; }
    void take_packet(net::packet_class, const link::packet&) override {}
    void may_inject(net::packet_class) override { go_on(); }
    const char* client_name() const override { return "source"; }

    net::network_port& port_;
    const net::traffic_targets& targets_;
    const unsigned number_;
    core::random_source draw_;
    unsigned left_, target_ = nobody;
    cargo cargo_;
};

void report(benchmark::State& state, std::uint64_t hops, std::uint64_t callbacks) {
    state.counters["hops/s"] = benchmark::Counter(static_cast<double>(hops), benchmark::Counter::kIsRate);
    state.counters["callbacks/hop"] = static_cast<double>(callbacks) / static_cast<double>(hops);
}

std::uint64_t hops_of(const net::torus_network& net) {
    std::uint64_t sum = 0;
    for (const auto* l : net.links()) sum += l->statistics().packets.value();
    return sum;
}

void saturated(benchmark::State& state) {
    std::uint64_t hops = 0, callbacks = 0;
    for (auto _ : state) {
        core::simulation sim{core::time_source::scheduler};
        observe::statistics statistics;
        net::torus_spec s;
        s.nodes.assign(3, static_cast<std::uint32_t>(state.range(0)));
        net::torus_network net("", sim.events(), statistics, s);
        const net::traffic_targets targets({}, s.nodes);
        std::deque<source> sources;
        for (unsigned n = 0; n < net.nodes(); ++n) sources.emplace_back(net, targets, n, 3000);
        for (source& n : sources) n.go_on();
        sim.run();
        hops += hops_of(net);
        callbacks += sim.events().executed();
    }
    report(state, hops, callbacks);
}
BENCHMARK(saturated)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond);

// Each node sends one packet at a time.
void lightly_loaded(benchmark::State& state) {
    std::uint64_t hops = 0, callbacks = 0;
    for (auto _ : state) {
        core::simulation sim{core::time_source::scheduler};
        observe::statistics statistics;
        net::torus_spec s;
        net::torus_network net("", sim.events(), statistics, s);
        const net::traffic_targets targets({}, s.nodes);
        std::deque<source> sources;
        for (unsigned n = 0; n < net.nodes(); ++n) sources.emplace_back(net, targets, n, 0);
        for (unsigned round = 0; round < 3000; ++round) {
            for (unsigned n = 0; n < net.nodes(); ++n) sources[n].add(1);
            sim.run();
        }
        hops += hops_of(net);
        callbacks += sim.events().executed();
    }
    report(state, hops, callbacks);
}
BENCHMARK(lightly_loaded)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
