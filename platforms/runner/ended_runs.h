// SPDX-License-Identifier: Apache-2.0
// Results of runs that have not been made: reports of them have every name that a run can leave.
#pragma once

#include <vector>

#include "observe/watched_run.h"

namespace contraflow::runner {

// One of each variant, of a run that ends well; `fill(result, variant)` sets what a report reads of it.
template <class Result, class Variant, class Fill>
std::vector<Result> ended_runs(const std::vector<Variant>& variants, Fill fill) {
    std::vector<Result> runs;
    for (const Variant& v : variants) {
        Result& r = runs.emplace_back();
        r.verdict = observe::watchdog::verdict::finished;
        fill(r, v);
    }
    return runs;
}

}  // namespace contraflow::runner
