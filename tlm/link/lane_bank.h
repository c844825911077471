// SPDX-License-Identifier: Apache-2.0
// The lanes of one link: which serve each direction, which are turning and until when, and the windows at whose ends a
// controller decides. Pure arithmetic over cycles, counted from 0; whoever owns the lanes brings it along and says how
// busy they were. In any cycle: lanes(ab) + lanes(ba) + turning() + failed() = twice the lanes a direction began with.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "link/lane_controller_if.h"
#include "link/lane_spec.h"

namespace contraflow::link {

// A completed window.
struct lane_window {
    std::uint64_t end = 0;  // the cycle after its last
    by_direction<std::uint64_t> busy, capacity;
    by_direction<unsigned> lanes;  // that served in its last cycle
    lane_decision decision = lane_decision::none;
    friend bool operator==(const lane_window&, const lane_window&) = default;
};

class lane_bank {
public:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    // The controller must outlive the bank.
    lane_bank(const lane_spec& s, lane_controller_if& controller);

    // Lanes that serve a direction, in the cycle the bank was brought to.
    unsigned lanes(direction d) const { return lanes_[d]; }
    unsigned turning() const { return static_cast<unsigned>(turning_.size()); }
    unsigned failed() const { return failed_; }
    std::uint64_t turns() const { return turns_; }          // that a decision began
    std::uint64_t refused() const { return refused_; }      // decisions that broke a rule, and were not followed
    std::uint64_t quiet_windows() const { return quiet_; }  // that went by without being closed
    // The first cycle in which a lane leaves or joins; never if none is about to.
    std::uint64_t next_change() const { return next_change_; }
    std::uint64_t window_end() const { return window_start_ + window_length_; }

    // To cycle t: lanes leave and join up to and in it. A window that ends by then must have been closed, unless
    // nothing was busy in it.
    void advance(std::uint64_t t);
    void add_busy(direction d, std::uint64_t lane_cycles) { busy_[d] += lane_cycles; }
    // Brings the bank to the window's last cycle and ends it: the controller decides, the next window begins.
    lane_window close_window();
    // A kernel is launched before cycle t: lanes return to symmetric, a window begins.
    void launch(std::uint64_t t);
    // A lane stops working before cycle t, for good: one that serves the direction, else one that turns to it. False
    // if there is none. A direction left with too few gets lanes of the other, if that has some to spare: one a cycle,
    // from the next on. A decision on its way is dropped then.
    bool fail_lane(direction d, std::uint64_t t);
    // All lanes that still work, as at the start, with a window that begins at t. What is counted goes on.
    void reset(std::uint64_t t);

private:
    struct turn {
        std::uint64_t join = 0;
        direction to = direction::ab;
    };

    void account(std::uint64_t t);
    void clear_window(std::uint64_t start);
    void skip_quiet_windows(std::uint64_t t);
    void find_next_change();
    void leave(direction from, std::uint64_t join);
    void start_pending_turn();
    void drop_pending();
    void mend(std::uint64_t t);
    void find_too_few(std::uint64_t t);
    // With the lanes that turn to them.
    by_direction<unsigned> have() const;
    static by_direction<unsigned> symmetric(const by_direction<unsigned>& have);
    bool may_turn(direction to) const { return lanes_[opposite(to)] > min_lanes_; }

    const unsigned lanes_per_direction_;
    const unsigned min_lanes_;
    const std::uint64_t window_length_;
    const std::uint64_t silence_;  // from leaving to joining
    const std::uint64_t exchange_;
    lane_controller_if& controller_;

    by_direction<unsigned> lanes_;
    std::vector<turn> turning_;  // in the order in which they left
    bool decided_ = false;       // what turns, if anything, is one lane, and a decision's
    std::optional<direction> pending_;
    std::uint64_t pending_at_ = never;
    std::optional<direction> too_few_;
    std::uint64_t mend_at_ = never;
    std::uint64_t next_change_ = never;
    std::uint64_t window_start_ = 0;
    std::uint64_t accounted_ = 0;  // capacity is complete up to this cycle
    by_direction<std::uint64_t> busy_, capacity_;
    unsigned failed_ = 0;
    std::uint64_t turns_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t quiet_ = 0;
};

}  // namespace contraflow::link
