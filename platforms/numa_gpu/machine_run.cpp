// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/machine_run.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "gpu/compute_unit/request_trace.h"
#include "gpu/system/gpu_system.h"
#include "link/link_waves.h"

namespace contraflow::numa_gpu {
namespace {

// The amounts of a series by windows of that width, a multiple of its own.
std::vector<double> amounts(const observe::series& s, core::sim_time width) {
    std::vector<double> all;
    for (const auto& p : s.points()) {
        const auto i = static_cast<std::size_t>(p.begin.ps / width.ps);
        all.resize(std::max(all.size(), i + 1));
        all[i] += p.amount;
    }
    return all;
}

// For a chart: so wide that there are not too many points. Of the last window there is only what the run had of it.
std::vector<std::pair<double, double>> by_time(const observe::series& s, double unit, core::sim_time end) {
    constexpr std::uint64_t most_points = 500;
    core::sim_time width = s.window();
    while (end.ps / width.ps > most_points) width = width * 2;
    std::vector<std::pair<double, double>> points;
    core::sim_time begin{};
    for (const double amount : amounts(s, width)) {
        if (begin >= end) break;
        points.emplace_back(begin.seconds() * 1e6, amount * unit / std::min(width, end - begin).seconds() * 1e-9);
        begin += width;
    }
    return points;
}

// What one lane carries in a picosecond.
double bytes_a_lane_ps(const link::reversible_link& l) { return l.configuration().lane_rate.bytes_per_s * 1e-12; }

// How long both directions were saturated, one, none.
std::array<core::sim_time, 3> saturated_times(const link::reversible_link& l, core::sim_time end) {
    const auto& ab = l.statistics(link::direction::ab);
    const auto& ba = l.statistics(link::direction::ba);
    core::sim_time width{};
    for (const auto* s : {&ab.wire_series, &ab.lane_series, &ba.wire_series, &ba.lane_series})
        width = std::max(width, s->window());
    const double bytes = bytes_a_lane_ps(l);
    const double saturation = l.configuration().lanes.saturation / 100.0;
    const auto is_saturated = [&](const std::vector<double>& wire, const std::vector<double>& lanes, std::size_t i) {
        return i < wire.size() && i < lanes.size() && wire[i] >= saturation * lanes[i] * bytes;
    };
    const auto wire_ab = amounts(ab.wire_series, width), lanes_ab = amounts(ab.lane_series, width);
    const auto wire_ba = amounts(ba.wire_series, width), lanes_ba = amounts(ba.lane_series, width);
    std::array<core::sim_time, 3> times{};
    std::size_t i = 0;
    for (core::sim_time begin{}; begin < end; begin += width, ++i) {
        const int saturated =
            (is_saturated(wire_ab, lanes_ab, i) ? 1 : 0) + (is_saturated(wire_ba, lanes_ba, i) ? 1 : 0);
        times[static_cast<std::size_t>(2 - saturated)] += std::min(width, end - begin);
    }
    return times;
}

direction_result summarise(const link::reversible_link& l, link::direction d, std::string name, core::sim_time end) {
    const auto& s = l.statistics(d);
    direction_result r;
    r.name = std::move(name);
    r.payload_bytes = s.payload.value();
    r.wire_bytes = s.wire.value();
    r.utilisation =
        s.available.value() == 0 ? 0 : static_cast<double>(s.busy.value()) / static_cast<double>(s.available.value());
    r.rate = by_time(s.wire_series, 1, end);
    r.limit = by_time(s.lane_series, bytes_a_lane_ps(l), end);  // what these lanes could have carried
    return r;
}

link_result summarise(const link::reversible_link& l, core::sim_time end) {
    const auto& s = l.statistics();
    link_result r;
    r.name = l.name();
    r.directions = {summarise(l, link::direction::ab, "a to b", end), summarise(l, link::direction::ba, "b to a", end)};
    r.turns = s.turns.value();
    r.failed_lanes = s.failed_lanes.value();
    for (const auto d : link::both_directions) r.resent += l.statistics(d).resent.value();
    r.saturated = saturated_times(l, end);
    r.energy = l.energy();
    return r;
}

void add(request_result& to, const gpu::request_profile& from, gpu::access_kind kind, bool remote) {
    to.count += from.count(kind, remote);
    for (std::size_t s = 0; s < memory::stage_count; ++s)
        to.spent[s] += from.spent(kind, remote, static_cast<memory::stage>(s));
}

void fail_lane(const net::network* network, const lane_fault& f) {
    if (network == nullptr) return;
    for (const auto& l : network->links())
        if (l->name() == f.link) l->fail_lane(f.direction);
}

class numa_bench final : public study::program_bench<gpu::gpu_system> {
public:
    numa_bench(const gpu::gpu_spec& spec, const workloads::selection& w, const run_options& o, run_result& result)
        : program_bench(w, o.seen, spec, o.seen.series_window, o.controllers),
          options_(o),
          result_(result) {}

    std::uint64_t outstanding() override {
        return machine.host().finished() ? machine.outstanding() : std::max<std::uint64_t>(1, machine.outstanding());
    }
    std::uint64_t done() override { return study::requests_of(machine.profile()); }

    void ready() override {
        machine.pages().check_room();  // rather now than after half of the run
        const auto& seen = options_.seen;
        if (seen.waves != nullptr && machine.network() != nullptr) {
            for (const auto& l : machine.network()->links())
                waves_.push_back(std::make_unique<link::link_waves>(*l, *seen.waves));
            for (auto& w : waves_) w->start(simulation.events().now());
        }
        if (seen.trace == nullptr) return;
        trace_ = std::make_unique<gpu::request_trace>(*seen.trace, seen.window);
        machine.profile().set_observer(trace_.get());
    }
    std::vector<runner::intervention> interventions() override {
        std::vector<runner::intervention> all;
        for (const lane_fault& f : options_.lane_faults)
            all.push_back({f.at, [this, &f] { fail_lane(machine.network(), f); }});
        return all;
    }
    // Links go on to the end of their window after all has ended: what they have done by then is what counts.
    void sum_up(core::sim_time end) override {
        machine.settle();
        if (machine.network() != nullptr)
            for (const auto& l : machine.network()->links()) result_.links.push_back(summarise(*l, end));
    }
    void stopped(core::sim_time now) override {
        if (options_.ended) options_.ended(now);
        for (const auto& l : machine.host().launches())
            if (l.ended) result_.kernels.push_back({l.launch.name(), l.begun, l.ended_at});
        for (const bool remote : {false, true}) {
            add(result_.loads[remote ? 1 : 0], machine.profile(), gpu::access_kind::load, remote);
            add(result_.others[remote ? 1 : 0], machine.profile(), gpu::access_kind::store, remote);
            add(result_.others[remote ? 1 : 0], machine.profile(), gpu::access_kind::atomic, remote);
        }
        if (trace_ != nullptr) result_.traced = trace_->shown();
    }
    void rethrow(bool) override { machine.host().rethrow(); }

private:
    gpu::gpu_system_if& target() override { return machine.host(); }
    void start_program(gpu::host_task program, std::function<void()> ended) override {
        machine.host().start(whole(std::move(program), std::move(ended)));
    }
    static gpu::host_task whole(gpu::host_task program, std::function<void()> ended) {
        co_await program;
        ended();
    }

    const run_options& options_;
    run_result& result_;
    std::vector<std::unique_ptr<link::link_waves>> waves_;
    std::unique_ptr<gpu::request_trace> trace_;
};

}  // namespace

core::sim_time request_result::total() const { return std::accumulate(spent.begin(), spent.end(), core::sim_time{}); }

std::uint64_t run_result::turns() const {
    return std::accumulate(links.begin(), links.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const link_result& l) { return sum + l.turns; });
}

double run_result::energy_joule() const {
    return std::accumulate(links.begin(), links.end(), 0.0,
                           [](double sum, const link_result& l) { return sum + l.energy.total(); });
}

std::array<double, 3> run_result::saturation() const {
    std::array<double, 3> shares{};
    double all = 0;
    for (const auto& l : links)
        for (std::size_t i = 0; i < shares.size(); ++i) {
            shares[i] += l.saturated[i].seconds();
            all += l.saturated[i].seconds();
        }
    for (double& s : shares) s = all == 0 ? 0 : s / all;
    return shares;
}

run_result run_machine(const gpu::gpu_spec& machine, const workloads::selection& workload, const run_options& options) {
    run_result r;
    runner::run(std::make_unique<numa_bench>(machine, workload, options, r), options.limits, r);
    return r;
}

}  // namespace contraflow::numa_gpu
