// SPDX-License-Identifier: Apache-2.0
// What a run takes place in: a simulation, its statistics, and the machine and the program that a platform adds by
// deriving from it. runner::run() builds nothing and knows no machine: it asks what stands here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/simulation.h"
#include "core/waiting.h"
#include "observe/conservation.h"
#include "observe/statistics.h"
#include "runner/run_outcome.h"

namespace contraflow::runner {

// Something to be done to the machine in mid-run. It is no event of the simulation: one that lies beyond the end of the
// run must not keep the run alive.
struct intervention {
    core::sim_time at{};
    std::function<void()> what;
};

class bench {
public:
    bench() = default;
    virtual ~bench() = default;
    bench(const bench&) = delete;
    bench& operator=(const bench&) = delete;

    // --- for the watchdog
    // Who can say what they wait for.
    virtual std::vector<const core::waiter_if*> waiters() const = 0;
    // A count that grows while anything moves, and the work that has begun and not ended.
    virtual std::uint64_t moved() = 0;
    virtual std::uint64_t outstanding() = 0;
    // --- for the progress line: so much of the total; a total of 0 is unknown.
    virtual std::uint64_t done() { return 0; }
    virtual std::uint64_t total() { return 0; }

    // --- the run, in the order in which it is called
    // The host's own work before the clock starts, such as making data. It may take long: it may run in another thread.
    virtual void prepare() {}
    // The clock is about to start: observers, room that must be there.
    virtual void ready() {}
    // Begins the program; `ended` is to be called at its end. Without a program the run ends when nothing moves.
    virtual void start(std::function<void()> /*ended*/) {}
    virtual std::vector<intervention> interventions() { return {}; }
    // When the run ended, of one without a program: now, unless what it did last was for nothing.
    virtual core::sim_time end_of(core::sim_time now, bool /*finished*/) { return now; }
    // The program has ended, or the run was stopped: what there is to know of it. Statistics are read afterwards.
    virtual void sum_up(core::sim_time /*end*/) {}
    // Nothing more happens; the machine is still there.
    virtual void stopped(core::sim_time /*now*/) {}
    // Throws what went wrong inside; `finished`: the run came to its end. A capacity error should pass through, all
    // else is a fault of the run.
    virtual void rethrow(bool /*finished*/) {}
    virtual bool is_capacity_error(const std::exception&) const { return false; }
    // A fault in words, with what this machine knows of it, and when it happened.
    virtual std::string fault_text(const std::exception& e, core::sim_time& /*at*/) { return e.what(); }
    // Only of a run that is complete: what went in came out, and the result is the host's (empty: it is). The latter
    // may run in another thread.
    virtual void check(observe::conservation&) {}
    virtual std::string verify() { return {}; }
    virtual std::vector<observe::stat_row> rows(core::sim_time end) { return statistics.rows(end); }

    core::simulation simulation;
    observe::statistics statistics;
};

}  // namespace contraflow::runner
