// SPDX-License-Identifier: Apache-2.0
#include "observe/watched_run.h"

#include <algorithm>
#include <utility>

namespace contraflow::observe {

run_end run_watched(core::simulation& simulation, watched_machine machine, const run_limits& l) {
    watchdog dog(simulation, l.watchdog);
    for (const auto* w : machine.waiters) dog.watch(*w);
    dog.set_progress(std::move(machine.moved));
    dog.set_outstanding(std::move(machine.outstanding));
    std::stable_sort(machine.interventions.begin(), machine.interventions.end(),
                     [](const auto& x, const auto& y) { return x.at < y.at; });
    run_end end;
    end.verdict = watchdog::verdict::time_limit;
    for (const auto& i : machine.interventions) {
        if (i.at > l.time) break;
        end.verdict = dog.run(i.at, l.keep_going);
        if (end.verdict != watchdog::verdict::time_limit) break;
        i.what();
    }
    if (end.verdict == watchdog::verdict::time_limit) end.verdict = dog.run(l.time, l.keep_going);
    end.hang = dog.hang();
    if (end.hung()) end.wait_chain = dog.wait_chain();
    return end;
}

}  // namespace contraflow::observe
