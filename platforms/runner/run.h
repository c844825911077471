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

// The limits that may end a run early, and its progress reports.
struct limits : observe::run_limits {
    std::function<void(core::sim_time now, std::uint64_t done, std::uint64_t total)> progress;
    // Does the host's long work: making data and checking the result. False: it was stopped, but may still go on.
    // Empty: the work is done at once.
    std::function<bool(std::function<void()>)> carry_out;
};
// The limits of the command line, and the terminal's progress line. The context must outlive them.
limits limits_of(face::run_context& context, core::sim_time watchdog, std::string_view unit);

// Fills the common part of `r`; the bench may fill a derived one.
void run(std::unique_ptr<bench> on, const limits& l, run_outcome& r);
// Only the simulation of a bench, until it ends or is stopped: for a caller that builds and checks by itself.
void simulate(bench& on, const limits& l, run_outcome& r);

// Many small pieces of work, one after the other, counted by the progress line, until one of them returns false,
// Ctrl-C, or --limit-wall. Returns the number of pieces that returned true.
std::size_t one_by_one(face::run_context& context, std::size_t count, std::string_view unit,
                       const std::function<bool(std::size_t)>& work);

// The exit code for a verdict; a complete run may still be wrong.
int exit_code_of(const run_outcome& r);
// Adds a run's conservation checks to the report, and its errors as headline. Returns the exit code.
int judge(const run_outcome& r, const std::string& what, face::run_context& context);
// Moves the run's statistics into the report, under that prefix.
void add_statistics(run_outcome& r, const std::string& prefix, face::report_data& report);

}  // namespace contraflow::runner
