// SPDX-License-Identifier: Apache-2.0
// Any bytes as the file of a sweep give points, each with a value for every key, or errors.
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
        fuzz::must(point.size() == all.keys.size(), "a point without a value for each key", input);
        for (std::size_t i = 0; i < point.size(); ++i)
            fuzz::must(point[i].key == all.keys[i] && point[i].value.find('\n') == std::string::npos,
                       "a value of another key, or on several lines", input);
    }
}

}  // namespace

CF_FUZZ(sweep, expand_points)
