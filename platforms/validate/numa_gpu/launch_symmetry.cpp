// SPDX-License-Identifier: Apache-2.0
// L10: at a kernel's start, lanes are symmetric again.
#include <stdexcept>

#include <fmt/format.h>

#include "core/simulation.h"
#include "gpu/system/gpu_system.h"
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

}  // namespace

measurement lanes_at_launch(const run_environment& environment) {
    const auto settings = experiment_of({"name: multigrid, grid: 1024", numa_gpu::links::dynamic, "published", 1000});
    core::simulation simulation;
    observe::statistics statistics;
    gpu::gpu_system system(simulation.events(), statistics, settings.gpu);
    const auto program = settings.workload.create();
    program->prepare(system.memory());
    std::vector<lane_log> logs(system.network()->links().size());
    for (std::size_t i = 0; i < logs.size(); ++i) system.network()->links()[i]->set_observer(&logs[i]);
    system.host().start(program->run(system.host()));
    simulation.run();
    environment.check();
    system.host().rethrow();

    const auto& lanes = settings.gpu.network.link.lanes;
    const core::sim_time settled = settings.gpu.cycle() * (lanes.drain.count + lanes.switch_time.count + 1);
    std::size_t starts = 0, returned = 0, asymmetric = 0, turns = 0;
    for (const auto& l : system.network()->links()) turns += l->statistics().turns.value();
    for (const auto& launch : system.host().launches())
        for (const auto& log : logs) {
            ++starts;
            if (!log.symmetric_before(launch.begun, lanes.lanes_per_direction)) ++returned;
            if (!log.symmetric_at(launch.begun + settled, lanes.lanes_per_direction)) ++asymmetric;
        }
    if (returned == 0) throw std::runtime_error("no kernel found lanes that had to return");
    return {
        {static_cast<double>(asymmetric)},
        fmt::format("multigrid, 1024 x 1024, SampleTime 1K: {} starts of {} kernels on {} links, {} of them with lanes "
                    "to bring back, {} turns.",
                    starts, system.host().launches().size(), logs.size(), returned, turns),
        {},
        {}};
}

}  // namespace contraflow::validate
