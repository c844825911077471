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
    // Runs until nothing is scheduled any more, or stop() was called.
    void run();
    // Runs until that time at most.
    void run_until(sim_time end);
    // Leaves run() after the current instant; run() may be called again.
    void stop();

private:
    std::unique_ptr<scheduler> scheduler_;
};

}  // namespace contraflow::core
