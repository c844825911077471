// SPDX-License-Identifier: Apache-2.0
#include "cosim/link_agreement.h"

#include <fmt/format.h>

#include "cosim/level_difference.h"

namespace contraflow::cosim {

void expect_agreement(const std::string& link, const char* level, const lane_view& v,
                      const link::window_sample& sample) {
    const bool turning = v.turning > 0 || v.pending != link::lane_decision::none;
    // Where lanes have failed, nothing may be decided either while one is about to leave in their place.
    if (v.window_end && v.lanes == sample.lanes && v.capacity == sample.capacity && v.busy == sample.busy &&
        (turning == sample.turning || (v.failed > 0 && !turning)))
        return;
    const auto text = [](const link::by_direction<unsigned>& lanes, bool turns,
                         const link::by_direction<std::uint64_t>& busy,
                         const link::by_direction<std::uint64_t>& capacity) {
        return fmt::format("lanes {} + {}{}, busy {} and {} of {} and {} lane-cycles", lanes.ab, lanes.ba,
                           turns ? ", one turning" : "", busy.ab, busy.ba, capacity.ab, capacity.ba);
    };
    throw level_difference(link, sample.end - 1,
                           fmt::format("{}: at the window's end in cycle {} the {} has {}{}; the link has {}", link,
                                       sample.end - 1, level, text(v.lanes, turning, v.busy, v.capacity),
                                       v.window_end ? "" : ", and no window's end",
                                       text(sample.lanes, sample.turning, sample.busy, sample.capacity)));
}

}  // namespace contraflow::cosim
