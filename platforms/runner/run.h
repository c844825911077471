// SPDX-License-Identifier: Apache-2.0
// One run, from the making of its data to the comparison with the host's result, under a watchdog, limits and Ctrl-C.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "face/run/run_context.h"
#include "runner/bench.h"

namespace contraflow::runner {

// What may end a run before it ends by itself, and whom it keeps informed.
struct limits {
    core::sim_time watchdog = core::sim_time::from_us(500);  // of a run in which nothing moves with work left
    core::sim_time time = core::sim_time::never();
    std::function<bool()> keep_going;  // asked now and then
    std::function<void(core::sim_time now, std::uint64_t done, std::uint64_t total)> progress;
    // Does what takes the host long, the making of data and the check of the result; false: it was stopped, but may
    // still go on. Empty: does it at once.
    std::function<bool(std::function<void()>)> carry_out;
};
// Those of the command line, and the terminal's progress line. The context outlives them.
limits limits_of(face::run_context& context, core::sim_time watchdog, std::string_view unit);

// Fills what is common in `r`; the bench may fill more in a derived one.
void run(std::unique_ptr<bench> on, const limits& l, run_outcome& r);
// Only the simulation of a bench, until it ends or is ended: for a caller that builds and checks by itself.
void simulate(bench& on, const limits& l, run_outcome& r);

// Many small pieces of work, one after the other, with a line of progress that counts them: until one of them says that
// no further one is wanted (false), Ctrl-C, or --limit-wall. Returns how many were begun and wanted more.
std::size_t one_by_one(face::run_context& context, std::size_t count, std::string_view unit,
                       const std::function<bool(std::size_t)>& work);

// What the verdict means for the process; a run that is complete may be wrong all the same.
int exit_code_of(const run_outcome& r);
// Puts into the report what a run has to say about itself: conservation, and as headline what went wrong. Returns the
// exit code.
int judge(const run_outcome& r, const std::string& what, face::run_context& context);
// Moves its statistics into the report, under that prefix.
void add_statistics(run_outcome& r, const std::string& prefix, face::report_data& report);

}  // namespace contraflow::runner
