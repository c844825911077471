// SPDX-License-Identifier: Apache-2.0
// Plays a trace of arrivals against the lanes of one link, with nothing around them: two queues without limits, phit
// by phit (a phit is what one lane carries in one cycle). Stretches in which nothing changes are taken at once; every
// cycle comes out as if it had been played by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "link/lanes/lane_set_if.h"

namespace contraflow::link {

// For so many cycles, so many phits arrive in each; or a kernel is launched.
struct trace_row {
    std::uint64_t cycles = 0;
    by_direction<std::uint64_t> arrivals;
    bool launch = false;
};

struct replayed_window {
    lane_window lanes;
    by_direction<std::uint64_t> queued;  // phits, at its end
    friend bool operator==(const replayed_window&, const replayed_window&) = default;
};

struct replay_result {
    std::vector<replayed_window> windows;
    by_direction<std::uint64_t> served;  // phits
    std::uint64_t drained = 0;           // first cycle with both queues empty after the trace
    std::uint64_t turns = 0;
    by_direction<double> waited;  // phit-cycles in the queues: what is left at the end of each cycle, summed
    bool complete = true;         // false: keep_going said no
};

// With lanes as newly made, whose cycles have one tick.
replay_result replay(lane_set_if& lanes, const std::vector<trace_row>& trace,
                     const std::function<bool()>& keep_going = {});

}  // namespace contraflow::link
