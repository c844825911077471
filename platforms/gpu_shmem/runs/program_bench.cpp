// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/runs/program_bench.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::gpu_shmem {
namespace {

using core::sim_time;

class program_bench final : public runner::bench {
public:
    program_bench(const experiment& e, const shmem::scheme_run::spec& s, std::unique_ptr<shmem::program_if> program,
                  bool whole, const run_view& view, program_result& result)
        : bench(core::time_source::scheduler),
          settings_(e),
          how_(s.how),
          whole_(whole),
          program_(std::move(program)),
          cluster_("", simulation.events(), statistics, cluster_of(e)),
          view_(cluster_, view),
          run_(simulation.events(), cluster_, *program_, s),
          result_(result) {
        if (!whole_ && program_->workgroups() == 1 && !program_->puts_at_any_time())
            watch_.emplace(cluster_, run_.job(), !by_kernels(how_), view.trace);
    }

    std::vector<const core::waiter_if*> waiters() const override { return {&run_, &cluster_}; }
    std::uint64_t moved() override { return progress_of(cluster_); }
    std::uint64_t outstanding() override { return cluster_.outstanding() + (run_.finished() ? 0 : 1); }
    std::uint64_t done() override {
        std::uint64_t all = 0;
        for (unsigned pe = 0; pe < cluster_.nodes(); ++pe) all += cluster_.node(pe).nic().sends().done();
        return all;
    }
    // The drivers' writes come before the program.
    void ready() override { set_up(simulation); }
    void start(std::function<void()>) override {
        run_.start();
        if (how_ == scheme::ikn) look_for_the_end();
    }
    std::vector<runner::intervention> interventions() override { return deaths(settings_, cluster_); }
    sim_time end_of(sim_time now, bool finished) override { return finished ? last_end() : now; }
    void sum_up(sim_time) override {
        cluster_.settle();
        result_.addresses = cluster_.node(0).tree().map().listing();
        for (unsigned pe = 0; pe < cluster_.nodes(); ++pe) {
            const auto& sends = cluster_.node(pe).nic().sends();
            result_.messages += sends.done();
            result_.sent_again += sends.retransmitted();
            result_.timeouts += sends.timeouts();
        }
        if (!run_.finished()) return;
        result_.time = last_end() - run_.started();
        const auto ends = step_ends();
        if (const std::size_t first = program_->warm_up(); ends.size() > first)
            result_.step = sim_time{(ends.back() - ends[first - 1]).ps / (ends.size() - first)};
        if (watch_) result_.life = watch_->life(ends);
    }
    void stopped(sim_time now) override { result_.waits = explain(settings_, run_, cluster_, now); }
    void rethrow(bool) override {
        for (unsigned pe = 0; pe < cluster_.nodes(); ++pe) cluster_.node(pe).gpu().host().rethrow();
    }
    bool is_capacity_error(const std::exception& e) const override {
        return capacity_problem(settings_, e).has_value();
    }
    void check(observe::conservation& checks) override { cluster_.check(checks); }
    std::string verify() override { return run_.problem(); }

private:
    std::vector<sim_time> step_ends() const {
        std::vector<sim_time> all = run_.step_ends(0);
        for (unsigned pe = 1; whole_ && pe < settings_.cluster.nodes; ++pe)
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], run_.step_ends(pe)[i]);
        return all;
    }
    sim_time last_end() const {
        sim_time last{};
        for (unsigned pe = 0; pe < settings_.cluster.nodes; ++pe) last = std::max(last, run_.step_ends(pe).back());
        return last;
    }
    // Threads of the host look for entries until they are told to end.
    void look_for_the_end() {
        if (run_.finished()) return run_.stop();
        simulation.events().at(
            simulation.events().now() + sim_time::from_us(1),
            [](void* of, std::uint64_t) { static_cast<program_bench*>(of)->look_for_the_end(); }, this);
    }

    const experiment& settings_;
    const scheme how_;
    const bool whole_;
    const std::unique_ptr<shmem::program_if> program_;
    host::queue_pair_cluster cluster_;
    cluster_view view_;
    shmem::scheme_run run_;
    std::optional<put_watch> watch_;
    program_result& result_;
};

scaled_result whole_time(program_result r, const program_variant& v) {
    const sim_time measured = r.time;
    return {std::move(r), v, measured};
}

}  // namespace

std::uint64_t progress_of(host::queue_pair_cluster& cluster) {
    std::uint64_t sum = cluster.network().moved();
    for (unsigned n = 0; n < cluster.nodes(); ++n) {
        gpu::pcie_gpu& g = cluster.node(n).gpu();
        sum += cluster.node(n).nic().sends().done() + changes_of(g) + g.system().dispatcher().ctas_finished();
    }
    return sum;
}

void set_up(core::simulation& s) {
    s.run_to(sim_time::from_us(1));
    s.run();
}

std::vector<std::string> explain(const experiment& e, const core::waiter_if& software,
                                 host::queue_pair_cluster& cluster, sim_time now) {
    // Causes before their effects.
    std::vector<std::string> text;
    for (const dead_pe& d : e.dead)
        if (d.at <= now) text.push_back(fmt::format("PE {} is dead since {}", d.pe, core::rounded_text(d.at)));
    for (unsigned pe = 0; pe < cluster.nodes(); ++pe)
        for (const auto& end : cluster.ends_of(pe)) {
            const auto s = cluster.node(pe).nic().sends().status_of(end->number);
            if (s.state != nic::queue_state::failed) continue;
            text.push_back(fmt::format(
                "queue pair {} of PE {} to PE {} is in error: {}", end->number, pe, end->peer,
                to_text(nic::queue_failure{s.fault, s.entry, s.number, end->sizes.entries, end->sizes.completions})));
        }
    constexpr std::size_t most_polls = 16;  // that are listed
    std::vector<core::wait_edge> edges;
    software.report_waits(edges);
    for (std::size_t i = 0; i < std::min(edges.size(), most_polls); ++i) {
        const core::wait_edge& w = edges[i];
        text.push_back(
            fmt::format("{} polls for {} of {}{}", w.waiter, w.resource, w.holder,
                        w.since == sim_time{} ? "" : fmt::format(", since {}", core::rounded_text(w.since))));
    }
    if (edges.size() > most_polls) text.push_back(fmt::format("and {} more poll", edges.size() - most_polls));
    return text;
}

std::vector<runner::intervention> deaths(const experiment& e, host::queue_pair_cluster& cluster) {
    std::vector<runner::intervention> all;
    for (const dead_pe& d : e.dead)
        all.push_back({d.at, [&cluster, pe = d.pe] { cluster.node(pe).tree().control(core::control_verb::pause); }});
    return all;
}

program_result run_program(const experiment& e, const shmem::scheme_run::spec& s,
                           std::unique_ptr<shmem::program_if> program, bool whole, const runner::limits& limits,
                           const run_view& view) {
    program_result r;
    runner::run(std::make_unique<program_bench>(e, s, std::move(program), whole, view, r), limits, r);
    for (const observe::stat_row& row : r.statistics)
        if (row.path.starts_with("net.link") && row.path.ends_with(".ab.wire"))
            r.wire_bytes += static_cast<std::uint64_t>(row.value);
    return r;
}

put_result run_puts(const experiment& e, const put_variant& v, const runner::limits& limits, const run_view& view) {
    return {run_program(e, scheme_of(e, v), std::make_unique<shmem::put_latency>(puts_of(e, v)), false, limits, view),
            v};
}

scheme_result run_ping_pong(const experiment& e, scheme how, const runner::limits& limits, const run_view& view) {
    shmem::scheme_run::spec s = scheme_of(e, how);
    s.job.template_bytes = e.ping_pong.size;
    return {run_program(e, s, std::make_unique<shmem::ping_pong>(e.ping_pong), true, limits, view), how};
}

scheme_result run_jacobi(const experiment& e, scheme how, const runner::limits& limits, const run_view& view) {
    shmem::scheme_run::spec s = scheme_of(e, how);
    s.job.template_bytes = {std::uint64_t{e.jacobi.columns} * sizeof(double)};
    return {run_program(e, s, std::make_unique<shmem::jacobi>(e.jacobi), true, limits, view), how};
}

scaled_result run_jacobi_on(const experiment& e, const program_variant& v, const runner::limits& limits,
                            const run_view& view) {
    scaled_result r{run_jacobi(with_nodes(e, v.nodes), v.how, limits, view), v, {}};
    r.measured = r.step;
    return r;
}

scaled_result run_triangular_solve(const experiment& e, const program_variant& v,
                                   const shmem::triangular_solve::triangle& lower, const runner::limits& limits,
                                   const run_view& view) {
    auto program = std::make_unique<shmem::triangular_solve>(e.triangular_solve, lower, v.nodes);
    return whole_time(run_program(with_nodes(e, v.nodes), scheme_of(e, v.how), std::move(program), true, limits, view),
                      v);
}

scaled_result run_bfs(const experiment& e, const program_variant& v, const shmem::bfs::shared_graph& graph,
                      const runner::limits& limits, const run_view& view) {
    auto program = std::make_unique<shmem::bfs>(e.bfs, graph, v.nodes);
    return whole_time(run_program(with_nodes(e, v.nodes), scheme_of(e, v.how), std::move(program), true, limits, view),
                      v);
}

all_reduce_result run_all_reduce(const experiment& e, const all_reduce_variant& v, const runner::limits& limits,
                                 const run_view& view) {
    auto program = std::make_unique<shmem::all_reduce>(all_reduce_of(e, v), v.nodes, by_kernels(v.how));
    return {run_program(with_nodes(e, v.nodes), scheme_of(e, v.how), std::move(program), true, limits, view), v};
}

}  // namespace contraflow::gpu_shmem
