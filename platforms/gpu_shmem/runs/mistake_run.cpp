// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/runs/mistake_run.h"

#include <optional>

#include <fmt/format.h>

#include "shmem/context.h"

namespace contraflow::gpu_shmem {
namespace {

using core::sim_time;
using gpu::wave;
using word = std::uint64_t;

shmem::spec job_of(const experiment& e) {
    shmem::spec s = e.shmem;
    s.contexts = 2;
    s.helpers = 0;
    if (s.heap.count == 0) s.heap = {64u << 10};
    return s;
}

class mistake_bench final : public runner::bench {
public:
    mistake_bench(const experiment& e, const run_view& view, mistake_result& result)
        : bench(core::time_source::scheduler),
          settings_(e),
          cluster_("", simulation.events(), statistics, cluster_of(e)),
          view_(cluster_, view),
          job_(simulation.events(), cluster_, job_of(e)),
          result_(result) {
        for (unsigned pe = 0; pe < job_.pes(); ++pe) x_.push_back(job_[pe].malloc<word>(words));
    }

    std::vector<const core::waiter_if*> waiters() const override { return {&job_, &cluster_}; }
    std::uint64_t moved() override { return progress_of(cluster_); }
    std::uint64_t outstanding() override { return cluster_.outstanding() + (program().finished() ? 0 : 1); }
    void ready() override { set_up(simulation); }
    void start(std::function<void()>) override { program().start(launch()); }
    std::vector<runner::intervention> interventions() override { return deaths(settings_, cluster_); }
    void sum_up(sim_time) override { cluster_.settle(); }
    // The heaps of others hold what was put, value n at place n, and zeros.
    void stopped(sim_time) override {
        for (unsigned pe = 1; pe < job_.pes(); ++pe) {
            const auto own = job_[pe].where().heap;
            const auto bytes = job_[pe].memory().read(own);
            const std::uint64_t first = x_[pe].address() - own.address();
            for (std::uint64_t i = 0; i < bytes.size(); ++i) {
                const std::uint64_t place = (i - first) / sizeof(word);
                const bool in_x = i >= first && place < words;
                const word allowed = pe == 1 && in_x ? place + 1 : 0;
                const auto expected = static_cast<std::uint8_t>(allowed >> 8 * ((i - first) % sizeof(word)));
                result_.changed_bytes += bytes[i] != 0 && bytes[i] != expected;
            }
        }
    }
    void rethrow(bool) override { program().rethrow(); }
    bool is_capacity_error(const std::exception& e) const override {
        return capacity_problem(settings_, e).has_value();
    }
    std::string fault_text(const std::exception& e, sim_time&) override { return result_.said = e.what(); }
    void check(observe::conservation& checks) override { cluster_.check(checks); }
    std::string verify() override { return "the mistake was not noticed"; }

private:
    static constexpr std::size_t words = 1024;
    gpu::host_program& program() { return cluster_.node(0).gpu().host(); }

    gpu::host_task launch() {
        const unsigned workgroups = settings_.mistake == mistake_kind::two_contexts ? 2 : 1;
        co_await program().launch(
            {"mistake", workgroups, 64, this, &mistake_bench::body, shmem::context::scratchpad(job_[0])});
    }
    gpu::kernel body(wave w) {
        shmem::pe& of = job_[0];
        const gpu::array<word> x = x_[0];
        shmem::context c(of, w);
        if (settings_.mistake == mistake_kind::two_contexts) co_await w.compute(1 + 5000 * w.cta());
        co_await c.create(0);
        co_await c.p(x, 1, 1);
        switch (settings_.mistake) {
        case mistake_kind::none: break;
        case mistake_kind::put_outside_heap: {
            const auto& heap = of.where().heap;
            co_await c.put(gpu::array<word>(heap.address() + heap.size() - sizeof(word), 2), x, 2, 1);
            break;
        }
        case mistake_kind::pe_out_of_range: co_await c.put(x, x, 1, of.n_pes()); break;
        case mistake_kind::doorbell_past_queue: {
            const auto& q = of.where().queues[1];
            if (w.wave_in_cta() == 0)
                co_await w.store(q.registers, 0, word{of.configuration().entries} * 2, gpu::mask::thread(0));
            co_await c.put(x, x, 1, 1);
            break;
        }
        case mistake_kind::completions_not_taken:
            for (std::size_t i = 1; i < words; ++i) co_await c.p(x.slice(i, 1), i + 1, 1);
            break;
        case mistake_kind::two_contexts: co_await w.compute(20'000); break;
        }
        co_await c.destroy();
    }

    const experiment& settings_;
    host::queue_pair_cluster cluster_;
    cluster_view view_;
    shmem::job job_;
    mistake_result& result_;
    std::vector<gpu::array<word>> x_;
};

}  // namespace

mistake_result run_mistake(const experiment& e, const runner::limits& limits, const run_view& view) {
    mistake_result r;
    experiment wrong = e;
    if (e.mistake == mistake_kind::completions_not_taken) wrong.shmem.steps.take = false;
    runner::run(std::make_unique<mistake_bench>(wrong, view, r), limits, r);
    return r;
}

}  // namespace contraflow::gpu_shmem
