// SPDX-License-Identifier: Apache-2.0
// The lanes of one link and their controller, as a model or as hardware. The link reports what its lanes carried,
// launches, faults and resets; the set says how many lanes serve each direction, and when that may change next. The
// link's traffic depends on these answers, so a wrong set makes a wrong link. Cycles are those of the link's clock,
// counted from 0; they never run backwards from call to call. Within a cycle, time is counted in ticks. A set is made
// for a number of ticks per cycle; a link's tick is a picosecond.
#pragma once

#include <cstdint>
#include <limits>

#include "link/lanes/direction.h"
#include "link/lanes/lane_policy_if.h"

namespace contraflow::link {

struct lane_state {
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    by_direction<unsigned> lanes;  // serving a direction in the cycle of the last advance
    unsigned turning = 0;          // lanes that have left one direction and not yet joined the other
    unsigned failed = 0;
    std::uint64_t next_change = never;  // the first cycle in which a lane leaves or joins if nothing else happens
    std::uint64_t window_end = 0;       // the cycle after the window's last
    // Since the start.
    std::uint64_t turns = 0;          // lanes that left because of a decision
    std::uint64_t refused = 0;        // decisions that broke a rule and were ignored
    std::uint64_t quiet_windows = 0;  // windows that passed without being closed
};

// An interval in which lanes carried without a pause, in ticks since cycle 0, and the number of lanes. `carried` is in
// lane-ticks; it is less than lanes x time only by the rest of the last tick. A burst of length 0 carries the rest that
// the previous burst left.
struct lane_burst {
    std::uint64_t from = 0, until = 0;
    unsigned lanes = 0;
    std::uint64_t carried = 0;
};

// A completed window, in lane-cycles.
struct lane_window {
    std::uint64_t end = 0;  // the cycle after its last
    by_direction<std::uint64_t> busy, capacity;
    by_direction<unsigned> lanes;  // serving in its last cycle
    lane_decision decision = lane_decision::none;
    friend bool operator==(const lane_window&, const lane_window&) = default;
};

class lane_set_if {
public:
    virtual ~lane_set_if() = default;

    virtual const lane_state& state() const = 0;
    // The lanes of a direction carried a burst. It must end by the cycle of the next call and by the window's end.
    virtual void carried(direction d, const lane_burst& b) = 0;
    // Advances to cycle t: lanes leave and join up to and in it. A window that ends by then must have been closed,
    // unless it carried nothing.
    virtual void advance(std::uint64_t t) = 0;
    // Ends the window, decides, and begins the next window. Call advance() after it.
    virtual lane_window close_window() = 0;
    // A kernel is launched before cycle t: lanes return to symmetric and a window begins. Call before advance(t).
    virtual void launch(std::uint64_t t) = 0;
    // A lane stops working before cycle t, for good: one that serves the direction in that cycle, else one that turns
    // to it. Returns false if there is none. A direction with too few lanes gets lanes of the other direction if that
    // has some to spare, one per cycle from the next cycle on. A pending decision is then dropped. Call after
    // advance(t).
    virtual bool fail_lane(direction d, std::uint64_t t) = 0;
    // Puts all working lanes back as at the start, with a window that begins at t. Counts continue.
    virtual void reset(std::uint64_t t) = 0;
    // Ends the run; cycle t is the first cycle after it.
    virtual void finish(std::uint64_t /*t*/) {}
};

}  // namespace contraflow::link
