// SPDX-License-Identifier: Apache-2.0
// The base of a run: a simulation and its statistics; a platform derives from it and adds the machine and the program.
// runner::run() builds nothing and knows no machine: it uses this interface.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/simulation.h"
#include "core/waiting.h"
#include "observe/conservation.h"
#include "observe/statistics.h"
#include "observe/watched_run.h"
#include "runner/run_outcome.h"

namespace contraflow::runner {

using observe::intervention;

class bench {
public:
    explicit bench(core::time_source asked = core::time_source::kernel) : simulation(asked) {}
    virtual ~bench() = default;
    bench(const bench&) = delete;
    bench& operator=(const bench&) = delete;

    // --- for the watchdog
    // The components that can report their waits.
    virtual std::vector<const core::waiter_if*> waiters() const = 0;
    // A count that grows while there is progress, and the work that has begun and not ended.
    virtual std::uint64_t moved() = 0;
    virtual std::uint64_t outstanding() = 0;
    // --- for the progress line: the finished part and the total; a total of 0 is unknown.
    virtual std::uint64_t done() { return 0; }
    virtual std::uint64_t total() { return 0; }

    // --- the run, in the order in which it is called
    // The host's own work before the clock starts, such as making data. It may take long and may run in another thread.
    virtual void prepare() {}
    // The clock is about to start: attaches observers, checks that there is enough memory.
    virtual void ready() {}
    // Begins the program; `ended` is to be called at its end. Without a program the run ends when nothing moves.
    virtual void start(std::function<void()> /*ended*/) {}
    virtual std::vector<intervention> interventions() { return {}; }
    // The end of a run without a program: now, unless the last actions had no effect.
    virtual core::sim_time end_of(core::sim_time now, bool /*finished*/) { return now; }
    // The program has ended, or the run was stopped: collects the results. Statistics are read afterwards.
    virtual void sum_up(core::sim_time /*end*/) {}
    // The simulation is over; the machine still exists.
    virtual void stopped(core::sim_time /*now*/) {}
    // Throws an error from inside the run; `finished`: the run came to its end. A capacity error should pass through;
    // all others are faults of the run.
    virtual void rethrow(bool /*finished*/) {}
    virtual bool is_capacity_error(const std::exception&) const { return false; }
    // An exception out of the simulation is a fault of the run; all others pass through run().
    virtual bool is_fault(const std::exception&) const { return false; }
    // The text of a fault, with this machine's details, and its time.
    virtual std::string fault_text(const std::exception& e, core::sim_time& /*at*/) { return e.what(); }
    // Only for a complete run: conservation, and the comparison with the host's result (empty: equal). The latter may
    // run in another thread.
    virtual void check(observe::conservation&) {}
    virtual std::string verify() { return {}; }
    virtual std::vector<observe::stat_row> rows(core::sim_time end) { return statistics.rows(end); }

    core::simulation simulation;
    observe::statistics statistics;
};

}  // namespace contraflow::runner
