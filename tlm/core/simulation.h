// SPDX-License-Identifier: Apache-2.0
// One simulation: a SystemC context of its own with a scheduler in it. Several may follow one another in a process;
// build every module of a simulation while it is the current one, and run it before the next is made.
#pragma once

#include <memory>

#include "core/scheduler.h"

namespace contraflow::core {

class simulation {
public:
    simulation();
    ~simulation();
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    scheduler& events() { return *scheduler_; }
    // What a callback throws leaves these as it was thrown; the simulation is over then.
    // Runs until nothing is scheduled any more, or stop() was called.
    void run();
    // Runs until that time at most.
    void run_until(sim_time end);
    // The same, but stands at that time after it, even if the last thing happened before.
    void run_to(sim_time end);
    // Lets modules start what they start by themselves; no time passes.
    void begin();
    // Leaves run() after the current instant; run() may be called again.
    void stop();

private:
    template <class Start> void rethrowing(Start start);
    void start_until(sim_time end, sc_core::sc_starvation_policy policy);

    std::unique_ptr<scheduler> scheduler_;
};

}  // namespace contraflow::core
