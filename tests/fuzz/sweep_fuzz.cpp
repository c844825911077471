// SPDX-License-Identifier: Apache-2.0
// Any bytes as the file of a sweep give points, whose keys are swept ones and given once, or errors.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "config/config.h"
#include "fuzz_target.h"
#include "sweep/points.h"

namespace {

void expand_points(const std::string& input) {
    using namespace contraflow;
    config::diagnostics diag;
    const auto loaded = config::load<sweep::sweep_spec>(config::source{"fuzz.yaml", input}, {}, diag);
    sweep::expansion all;
    if (!diag.failed()) all = sweep::expand(loaded.value, diag);
    std::ostringstream said;
    diag.print(said);
    fuzz::must(diag.failed() == !said.str().empty(), "an error without a word, or a word without one", said.str());
    if (diag.failed()) return;
    fuzz::must(!all.points.empty() && all.points.size() <= sweep::most_points, "no points, or too many", input);
    for (const auto& point : all.points) {
        std::set<std::string> given;
        for (const auto& value : point) {
            fuzz::must(std::find(all.keys.begin(), all.keys.end(), value.key) != all.keys.end(),
                       "a value of a key that is not swept", input);
            fuzz::must(given.insert(value.key).second, "two values of a key", input);
            fuzz::must(value.value.find('\n') == std::string::npos, "a value on several lines", input);
        }
    }
}

}  // namespace

CF_FUZZ(sweep, expand_points)
