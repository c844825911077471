// SPDX-License-Identifier: Apache-2.0
// How a run ended. A platform's own result derives from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"
#include "observe/conservation.h"
#include "observe/statistics.h"
#include "observe/watched_run.h"

namespace contraflow::runner {

struct run_outcome : observe::run_end {
    std::string stopped_while;  // the host's work that was stopped: "its data was made"; empty: none
    std::string fault;          // where the program or the machine failed, and why; empty: no fault
    core::sim_time fault_at{};
    std::string difference;  // the first difference of two levels; results after it are not valid
    std::string wrong;       // the difference from the host's result; empty: none
    core::sim_time end{};    // end of the program, or time at which the run was stopped
    std::vector<observe::stat_row> statistics;
    std::vector<observe::conservation_check> conservation;
    std::uint64_t callbacks = 0;
    std::uint64_t traced = 0;  // requests in the trace

    bool complete() const { return verdict == observe::watchdog::verdict::finished && fault.empty(); }
    bool verified() const { return complete() && wrong.empty(); }
};

// For a table: "verified", "WRONG", "fault", "not ended".
std::string verdict_text(const run_outcome& r);
// Throws a std::runtime_error with the problem, unless the run is complete, verified and conserves.
void require_verified(const std::string& what, const run_outcome& r);

}  // namespace contraflow::runner
