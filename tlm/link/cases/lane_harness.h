// SPDX-License-Identifier: Apache-2.0
// Plays a trace of arrivals against the lanes of one link alone: two queues without limits, phit by phit (a phit is
// what one lane carries in one cycle). Stretches without a change are computed at once; the result is that of playing
// every cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "link/lanes/lane_set_if.h"

namespace contraflow::link {

// A number of cycles with the phits that arrive in each; or the launch of a kernel.
struct trace_row {
    std::uint64_t cycles = 0;
    by_direction<std::uint64_t> arrivals;
    bool launch = false;
};

struct replayed_window {
    lane_window lanes;
    by_direction<std::uint64_t> queued;  // phits at its end
    friend bool operator==(const replayed_window&, const replayed_window&) = default;
};

struct replay_result {
    std::vector<replayed_window> windows;
    by_direction<std::uint64_t> served;  // phits
    std::uint64_t drained = 0;           // first cycle after the trace with both queues empty, or after the trace alone
    std::uint64_t turns = 0;
    by_direction<double> waited;  // phit-cycles in the queues: the sum of their lengths at the end of each cycle
    bool complete = true;         // false: keep_going returned false
};

enum class after_trace : std::uint8_t { drain, stop };

// The lanes must be new, with one tick per cycle. After the trace, cycles follow until the queues are empty, unless it
// is to stop there.
replay_result replay(lane_set_if& lanes, const std::vector<trace_row>& trace,
                     const std::function<bool()>& keep_going = {}, after_trace then = after_trace::drain);

}  // namespace contraflow::link
