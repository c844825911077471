// SPDX-License-Identifier: Apache-2.0
// The one loop of runs: a machine under a watchdog, with actions on it at given times, until it ends or is stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "observe/watchdog.h"

namespace contraflow::observe {

// An action on the machine during the run. It is no event of the simulation, because an action after the end of the run
// must not keep the run alive.
struct intervention {
    core::sim_time at{};
    std::function<void()> what;
};

struct watched_machine {
    std::vector<const core::waiter_if*> waiters;  // that can report their waits
    // A count that grows while there is progress, and the work that has begun and not ended.
    std::function<std::uint64_t()> moved, outstanding;
    std::vector<intervention> interventions;
};

struct run_limits {
    core::sim_time watchdog = watchdog_key::usual;  // this long without progress is a hang
    core::sim_time time = core::sim_time::never();
    std::function<bool()> keep_going;  // called from time to time
};

struct run_end {
    watchdog::verdict verdict = watchdog::verdict::finished;
    std::string hang;                     // for a hang: since when nothing has moved
    std::vector<std::string> wait_chain;  // for a hang: what waits for what

    // There was no progress, with work left.
    bool hung() const { return verdict == watchdog::verdict::stalled || verdict == watchdog::verdict::ran_dry; }
};

run_end run_watched(core::simulation& simulation, watched_machine machine, const run_limits& l);

}  // namespace contraflow::observe
