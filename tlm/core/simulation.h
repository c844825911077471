// SPDX-License-Identifier: Apache-2.0
// One simulation: a SystemC context of its own with a scheduler in it. A process may run several, one after another:
// build all modules of a simulation and run it before the next one is made.
#pragma once

#include <memory>

#include "core/scheduler.h"

namespace contraflow::core {

class simulation {
public:
    explicit simulation(time_source asked = time_source::kernel);
    ~simulation();
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    scheduler& events() { return *scheduler_; }
    // Runs until nothing is scheduled or stop() was called. An exception of a callback ends the simulation: this and
    // each later call throws it.
    void run();
    // Runs until that time at most.
    void run_until(sim_time end);
    // The same, but time then stands at `end` even if the last event was earlier.
    void run_to(sim_time end);
    // Lets modules run their start-up code; no time passes.
    void begin();
    // When the next callback or other process is due, between two runs; never: nothing is.
    sim_time next_activity() const;
    // Leaves run() after the current instant; run() may be called again.
    void stop();

private:
    template <class Start> void unless_failed(Start start);
    void start_until(sim_time end, sc_core::sc_starvation_policy policy);

    std::unique_ptr<scheduler> scheduler_;
};

}  // namespace contraflow::core
