// SPDX-License-Identifier: Apache-2.0
// The lanes of one link and whoever decides how they turn: what a link needs of them, whether they are a model or
// hardware. The link tells what its lanes carried, launches, faults and resets; the set says how many lanes serve each
// direction, and when that may change next. What it says is what carries the link's traffic: a wrong set makes a wrong
// link. Cycles are those of the link's clock, counted from 0; they never run backwards from call to call. Within a
// cycle time is counted in ticks, of which a set is made for so many a cycle: picoseconds for a link.
#pragma once

#include <cstdint>
#include <limits>

#include "link/lanes/direction.h"
#include "link/lanes/lane_policy_if.h"

namespace contraflow::link {

struct lane_state {
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    by_direction<unsigned> lanes;  // that serve a direction, in the cycle the set was brought to
    unsigned turning = 0;          // that have left a direction and not joined the other
    unsigned failed = 0;
    std::uint64_t next_change = never;  // the first cycle in which a lane leaves or joins, if nothing else happens
    std::uint64_t window_end = 0;       // the cycle after the window's last
    // Since the start.
    std::uint64_t turns = 0;          // lanes that left because of a decision
    std::uint64_t refused = 0;        // decisions that broke a rule, and were not followed
    std::uint64_t quiet_windows = 0;  // that went by without being closed
};

// A stretch of time in which lanes carried without a pause: in ticks since cycle 0, on so many lanes; and what they
// carried, in lane-ticks, which is less than lanes x time only by what the last tick had left over. A burst that begins
// and ends at once carries what the burst before left over.
struct lane_burst {
    std::uint64_t from = 0, until = 0;
    unsigned lanes = 0;
    std::uint64_t carried = 0;
};

// A completed window, in lane-cycles.
struct lane_window {
    std::uint64_t end = 0;  // the cycle after its last
    by_direction<std::uint64_t> busy, capacity;
    by_direction<unsigned> lanes;  // that served in its last cycle
    lane_decision decision = lane_decision::none;
    friend bool operator==(const lane_window&, const lane_window&) = default;
};

class lane_set_if {
public:
    virtual ~lane_set_if() = default;

    virtual const lane_state& state() const = 0;
    // What the lanes of a direction carried. It does not reach beyond the cycle that anything else is said of next, nor
    // beyond the window's end.
    virtual void carried(direction d, const lane_burst& b) = 0;
    // To cycle t: lanes leave and join up to and in it. A window that ends by then must have been closed, unless
    // nothing was carried in it.
    virtual void advance(std::uint64_t t) = 0;
    // Ends the window: it is decided, and the next window begins. To be brought on by advance() after that.
    virtual lane_window close_window() = 0;
    // A kernel is launched before cycle t: lanes return to symmetric, a window begins. Before advance(t).
    virtual void launch(std::uint64_t t) = 0;
    // A lane stops working before cycle t, for good: one that serves the direction in that cycle, else one that turns
    // to it. False if there is none. A direction left with too few gets lanes of the other, if that has some to spare:
    // one a cycle, from the next on. A decision on its way is dropped then. After advance(t).
    virtual bool fail_lane(direction d, std::uint64_t t) = 0;
    // All lanes that still work, as at the start, with a window that begins at t. Counts go on.
    virtual void reset(std::uint64_t t) = 0;
    // Nothing more happens; cycle t is the first that is not part of the run.
    virtual void finish(std::uint64_t /*t*/) {}
};

}  // namespace contraflow::link
