// SPDX-License-Identifier: Apache-2.0
// Decides whether one lane turns, from how busy each direction was in a window. Amounts are in lane-cycles: one lane
// for one cycle. Cycles are counted from 0 and never run backwards from call to call.
#pragma once

#include <cstdint>

#include "link/lanes/direction.h"

namespace contraflow::link {

// A lane of the other direction turns to this one.
enum class lane_decision : std::uint8_t { none, to_ab, to_ba };

constexpr lane_decision towards(direction d) {
    return d == direction::ab ? lane_decision::to_ab : lane_decision::to_ba;
}
// The direction that gains a lane; not for `none`.
constexpr direction receiver(lane_decision d) { return d == lane_decision::to_ab ? direction::ab : direction::ba; }
constexpr const char* name(lane_decision d) {
    return d == lane_decision::none ? "none" : d == lane_decision::to_ab ? "to_ab" : "to_ba";
}

// A window's figures at its end.
struct window_sample {
    by_direction<std::uint64_t> busy;
    by_direction<std::uint64_t> capacity;  // capacity of the serving lanes; a turning lane counts for neither direction
    by_direction<unsigned> lanes;          // serving in the window's last cycle
    bool turning = false;                  // a lane is turning or a decision is pending: no new decision is allowed
    std::uint64_t end = 0;                 // the cycle after its last
};

class lane_policy_if {
public:
    virtual ~lane_policy_if() = default;
    virtual lane_decision window_ended(const window_sample& sample) = 0;
    // A number of windows passed in which neither direction sent anything; no decision is made in them.
    virtual void quiet_windows(std::uint64_t windows) = 0;
    // Before cycle `at` the lanes return to symmetric and a window begins.
    virtual void kernel_launched(std::uint64_t at) = 0;
};

}  // namespace contraflow::link
