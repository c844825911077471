// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/offered_load/offered_load_run.h"

#include <algorithm>
#include <memory>

#include "net/torus/torus_network.h"
#include "net/traffic/offered_load.h"

namespace contraflow::torus_nic {
namespace {

class load_bench final : public runner::bench {
public:
    load_bench(const experiment& e, double load, observe::trace* trace, load_result& result)
        : bench(core::time_source::scheduler),
          experiment_(e),
          net_("", simulation.events(), statistics, torus_of(e)),
          links_(net_.links()),
          meter_(net_),
          load_(simulation.events(), statistics, net_, e.torus.nodes, {e.traffic, load, e.torus.word_time(), e.seed},
                [this](bool begins) {
                    const auto now = simulation.events().now();
                    begins ? meter_.begin(now) : meter_.end(now);
                }),
          result_(result) {
        load_.set_trace(trace);
    }

    std::vector<const core::waiter_if*> waiters() const override { return {&net_}; }
    std::uint64_t moved() override { return net_.moved(); }
    std::uint64_t outstanding() override { return net_.outstanding(); }
    std::uint64_t done() override { return load_.taken(); }

    // The run ends by itself, once the sources have stopped and the network is empty.
    void start(std::function<void()>) override { load_.start(); }
    std::vector<runner::intervention> interventions() override {
        std::vector<runner::intervention> all;
        for (const lost_credit& lost : experiment_.lost_credits)
            for (auto* const l : links_)
                if (l->path() == lost.link)
                    all.push_back({lost.at, [l, channel = lost_credit_channel(experiment_.torus, lost)] {
                                       l->lose_credit(channel);
                                   }});
        return all;
    }
    void sum_up(core::sim_time) override {
        load_result& r = result_;
        r.offered = load_.offered();
        r.accepted = load_.accepted();
        r.accepted_at_first = load_.accepted_at_first();
        r.accepted_at_last = load_.accepted_at_last();
        const auto& latency = load_.latency();
        r.mean_ps = latency.mean();
        r.p50_ps = latency.percentile(0.5);
        r.p99_ps = latency.percentile(0.99);
        r.max_ps = static_cast<double>(latency.max());
        r.measured = load_.measured();
        r.never_arrived = load_.never_arrived();
        r.saturated = load_.saturated();
        r.links = meter_.result(experiment_.torus.word_time());
        for (const auto* l : links_) {
            r.crossings += l->statistics().packets.value();
            r.damaged += l->protection().damaged();
            r.resent += l->protection().resent();
            r.lost_credits += l->statistics().lost_credits.value();
        }
    }
    void check(observe::conservation& checks) override {
        net_.check(checks);
        checks.check("sources: packets created, and those injected and kept", "packets", load_.created(),
                     load_.injected() + load_.kept());
        checks.check("sources: packets injected, and those taken", "packets", load_.injected(), load_.taken());
    }
    std::string verify() override { return load_.wrong(); }

private:
    const experiment& experiment_;
    net::torus_network net_;
    const std::vector<net::torus_link*> links_;
    link_meter meter_;
    net::offered_load load_;
    load_result& result_;
};

}  // namespace

load_result run_load(const experiment& e, double load, const runner::limits& limits, observe::trace* trace) {
    load_result r;
    r.load = load;
    runner::run(std::make_unique<load_bench>(e, load, trace, r), limits, r);
    return r;
}

}  // namespace contraflow::torus_nic
