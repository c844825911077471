// SPDX-License-Identifier: Apache-2.0
// A machine's run in an experiment, checked at its end.
#pragma once

#include <stdexcept>
#include <string>

#include "runner/run.h"
#include "validate/table/row.h"

namespace contraflow::validate {

// Simulates the bench until nothing is left to do. `rethrow` throws the exceptions of its program. They, the waits of
// an endless run, bytes that are not conserved, and work that is left, become a std::runtime_error.
template <class Machine, class Rethrow>
void run_to_its_end(runner::bench& bench, Machine& machine, const std::string& what, const run_environment& environment,
                    Rethrow rethrow) {
    runner::run_outcome r;
    runner::limits limits;
    limits.keep_going = environment.keep_going;
    runner::simulate(bench, limits, r);
    environment.check();
    rethrow();
    if (r.complete()) {
        machine.settle();
        observe::conservation checks;
        machine.check(checks);
        r.conservation = checks.checks();
    }
    runner::require_verified(what, r);
    if (!machine.idle()) throw std::runtime_error("work is left in progress");
}

}  // namespace contraflow::validate
