// SPDX-License-Identifier: Apache-2.0
// How a run ended, whatever ran. A platform's own result derives from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"
#include "observe/conservation.h"
#include "observe/statistics.h"
#include "observe/watchdog.h"

namespace contraflow::runner {

struct run_outcome {
    observe::watchdog::verdict verdict = observe::watchdog::verdict::finished;
    std::string hang;                     // of a run without progress: since when
    std::vector<std::string> wait_chain;  // and what waits for what
    std::string stopped_while;            // where the host was stopped: "its data was made"; empty: elsewhere
    std::string fault;                    // of the program or the machine: who did what where; empty: none
    core::sim_time fault_at{};
    std::string difference;  // of two levels that ran side by side: the first; nothing after it can be trusted
    std::string wrong;       // what of the result is not the host's; empty: nothing
    core::sim_time end{};    // of the program, or of the run where it was stopped
    std::vector<observe::stat_row> statistics;
    std::vector<observe::conservation_check> conservation;
    std::uint64_t callbacks = 0;
    std::uint64_t traced = 0;  // requests in the trace

    // It made no progress any more, with work left.
    bool hung() const {
        return verdict == observe::watchdog::verdict::stalled || verdict == observe::watchdog::verdict::ran_dry;
    }
    bool complete() const { return verdict == observe::watchdog::verdict::finished && fault.empty(); }
    bool verified() const { return complete() && wrong.empty(); }
};

// For a table: "verified", "WRONG", "fault", "not ended".
std::string verdict_text(const run_outcome& r);
// A std::runtime_error that says what is wrong, unless it is complete, verified and conserves what goes in.
void require_verified(const std::string& what, const run_outcome& r);

}  // namespace contraflow::runner
