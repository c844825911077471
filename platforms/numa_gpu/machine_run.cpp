// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/machine_run.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "core/simulation.h"
#include "gpu/compute_unit/access_fault.h"
#include "gpu/compute_unit/request_trace.h"
#include "gpu/system/gpu_system.h"
#include "link/link_waves.h"
#include "traces/recorder.h"

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

// Something to be done when the machine is there. No event: one that lies beyond the end must not keep the run alive.
struct moment {
    core::sim_time at;
    std::function<void()> what;
};

// What a run takes place in.
struct bench {
    bench(const gpu::gpu_spec& machine, const run_options& o)
        : system(simulation.events(), statistics, machine, o.series_window, o.controllers) {
        if (o.record != nullptr) recorder = std::make_unique<traces::recorder>(system.host(), *o.record);
    }
    // What the program runs on.
    gpu::gpu_system_if& machine() { return recorder ? static_cast<gpu::gpu_system_if&>(*recorder) : system.host(); }

    core::simulation simulation;
    observe::statistics statistics;
    gpu::gpu_system system;
    std::unique_ptr<traces::recorder> recorder;
    std::unique_ptr<workloads::workload_if> program;  // outlives the kernels, not the machine: they refer to it
    std::string wrong;                                // what of its result is
};

std::uint64_t completed(const gpu::request_profile& p) {
    std::uint64_t sum = 0;
    for (const auto kind : {gpu::access_kind::load, gpu::access_kind::store, gpu::access_kind::atomic})
        sum += p.count(kind, false) + p.count(kind, true);
    return sum;
}

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
    auto on = std::make_unique<bench>(machine, options);
    auto& simulation = on->simulation;
    auto& statistics = on->statistics;
    auto& system = on->system;
    const auto& program = on->program;
    run_result r;
    const auto carried_out = [&](const char* what, std::function<void()> work) {
        if (!options.carry_out)
            work();
        else if (!options.carry_out(std::move(work))) {
            r.verdict = observe::watchdog::verdict::stopped;
            r.stopped_while = what;
            static_cast<void>(on.release());  // the work may go on with it
        }
        return on != nullptr;
    };
    if (!carried_out("its data was made", [&b = *on, workload] {
            b.program = workload.create();
            b.program->prepare(b.machine().memory());
        }))
        return r;
    system.pages().check_room();  // rather now than after half of the run

    std::vector<moment> moments;
    std::vector<std::unique_ptr<link::link_waves>> waves;
    if (options.waves != nullptr && system.network() != nullptr) {
        for (const auto& l : system.network()->links())
            waves.push_back(std::make_unique<link::link_waves>(*l, *options.waves));
        for (auto& w : waves) w->start(simulation.events().now());
    }
    for (const lane_fault& f : options.lane_faults) moments.push_back({f.at, [&] { fail_lane(system.network(), f); }});
    std::stable_sort(moments.begin(), moments.end(), [](const auto& x, const auto& y) { return x.at < y.at; });
    std::unique_ptr<gpu::request_trace> trace;
    if (options.trace != nullptr) {
        trace = std::make_unique<gpu::request_trace>(
            *options.trace, gpu::trace_window{options.shown_from, options.shown_to, options.trace_every});
        system.profile().set_observer(trace.get());
    }

    observe::watchdog dog(simulation, options.watchdog);
    dog.watch(system);
    dog.set_progress([&] { return system.moved() + (system.computing() ? simulation.events().now().ps : 0); });
    dog.set_outstanding([&]() -> std::uint64_t {
        return system.host().finished() ? system.outstanding() : std::max<std::uint64_t>(1, system.outstanding());
    });

    // Links go on to the end of their window after all has ended: what they have done by then is what counts.
    const auto sum_up = [&] {
        r.end = simulation.events().now();
        system.settle();
        if (system.network() != nullptr)
            for (const auto& l : system.network()->links()) r.links.push_back(summarise(*l, r.end));
        r.statistics = statistics.rows(r.end);
    };
    const auto whole = [&]() -> gpu::host_task {
        co_await program->run(on->machine());
        sum_up();
    };
    system.host().start(whole());

    const auto run_until = [&](core::sim_time limit) {
        return dog.run(limit, [&] {
            if (options.progress) options.progress(simulation.events().now(), completed(system.profile()));
            return !options.keep_going || options.keep_going();
        });
    };
    r.verdict = observe::watchdog::verdict::time_limit;
    for (const auto& m : moments) {
        if (m.at > options.limit) break;
        r.verdict = run_until(m.at);
        if (r.verdict != observe::watchdog::verdict::time_limit) break;
        m.what();
    }
    if (r.verdict == observe::watchdog::verdict::time_limit) r.verdict = run_until(options.limit);
    try {
        system.host().rethrow();
    } catch (const gpu::access_fault& f) { r.fault = f.what(); }
    if (options.ended) options.ended(simulation.events().now());
    r.standstill = dog.hang();
    if (r.verdict == observe::watchdog::verdict::stalled || r.verdict == observe::watchdog::verdict::ran_dry)
        r.wait_chain = dog.wait_chain();

    if (!r.complete()) {
        r.links.clear();
        sum_up();
    } else {
        if (on->recorder) on->recorder->finish();
        system.settle();
        observe::conservation checks;
        system.check(checks);
        r.conservation = checks.checks();
        if (carried_out("its result was checked", [&b = *on] { b.wrong = b.program->verify(b.system.memory()); }))
            r.wrong = on->wrong;
    }
    for (const auto& l : system.host().launches())
        if (l.ended) r.kernels.push_back({l.launch.name(), l.begun, l.ended_at});
    for (const bool remote : {false, true}) {
        add(r.loads[remote ? 1 : 0], system.profile(), gpu::access_kind::load, remote);
        add(r.others[remote ? 1 : 0], system.profile(), gpu::access_kind::store, remote);
        add(r.others[remote ? 1 : 0], system.profile(), gpu::access_kind::atomic, remote);
    }
    if (trace != nullptr) r.traced = trace->shown();
    r.callbacks = simulation.events().executed();
    return r;
}

}  // namespace contraflow::numa_gpu
