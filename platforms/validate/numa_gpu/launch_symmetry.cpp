// SPDX-License-Identifier: Apache-2.0
// L10: at a kernel's start, lanes are symmetric again.
#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "runner/run.h"
#include "study/gpu_system_bench.h"
#include "validate/numa_gpu/numa_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

// The number of lanes that serve each direction, at each change.
struct lane_log final : link::link_observer_if {
    struct entry {
        core::sim_time at{};
        unsigned ab = 0, ba = 0;
    };
    void lanes_changed(const link::reversible_link& l, core::sim_time now) override {
        changes.push_back({now, l.lanes().lanes.ab, l.lanes().lanes.ba});
    }
    void queues_changed(const link::reversible_link&, link::direction, core::sim_time) override {}
    void window_closed(const link::reversible_link&, const link::lane_window&, core::sim_time) override {}

    // The last state up to that time; symmetric before the first change.
    bool symmetric_at(core::sim_time t, unsigned lanes) const {
        entry last{{}, lanes, lanes};
        for (const entry& e : changes)
            if (e.at <= t) last = e;
        return last.ab == lanes && last.ba == lanes;
    }
    bool symmetric_before(core::sim_time t, unsigned lanes) const { return symmetric_at(t - core::sim_time{1}, lanes); }
    std::vector<entry> changes;
};

// The machine with an observer at each link.
class logged_bench final : public study::gpu_system_bench {
public:
    logged_bench(const numa_gpu::experiment& e, std::vector<lane_log>& logs, std::vector<core::sim_time>& launches,
                 std::size_t& turns)
        : gpu_system_bench(e.workload, study::observation{}, e.gpu),
          logs_(logs),
          launches_(launches),
          turns_(turns) {}

    void ready() override {
        const auto& links = machine.network()->links();
        logs_.resize(links.size());
        for (std::size_t i = 0; i < links.size(); ++i) links[i]->set_observer(&logs_[i]);
    }
    void stopped(core::sim_time) override {
        for (const auto& l : machine.network()->links()) turns_ += l->statistics().turns.value();
        for (const auto& l : machine.host().launches()) launches_.push_back(l.begun);
    }

private:
    std::vector<lane_log>& logs_;
    std::vector<core::sim_time>& launches_;
    std::size_t& turns_;
};

}  // namespace

measurement lanes_at_launch(const run_environment& environment) {
    const auto settings = experiment_of({"name: multigrid, grid: 1024", numa_gpu::links::dynamic, "published", 1000});
    std::vector<lane_log> logs;
    std::vector<core::sim_time> launches;
    std::size_t turns = 0;
    runner::run_outcome result;
    runner::limits limits;
    limits.keep_going = environment.keep_going;
    runner::run(std::make_unique<logged_bench>(settings, logs, launches, turns), limits, result);
    environment.check();
    runner::require_verified("multigrid, dynamic links", result);

    const auto& lanes = settings.gpu.network.link.lanes;
    const core::sim_time settled = settings.gpu.cycle() * (lanes.drain.count + lanes.switch_time.count + 1);
    std::size_t starts = 0, returned = 0, asymmetric = 0;
    for (const core::sim_time begun : launches)
        for (const auto& log : logs) {
            ++starts;
            if (!log.symmetric_before(begun, lanes.lanes_per_direction)) ++returned;
            if (!log.symmetric_at(begun + settled, lanes.lanes_per_direction)) ++asymmetric;
        }
    if (returned == 0) throw std::runtime_error("no kernel found lanes that had to return");
    return {
        {static_cast<double>(asymmetric)},
        fmt::format("multigrid, 1024 x 1024, SampleTime 1K: {} starts of {} kernels on {} links, {} of them with lanes "
                    "to bring back, {} turns.",
                    starts, launches.size(), logs.size(), returned, turns),
        {},
        {}};
}

}  // namespace contraflow::validate
