// SPDX-License-Identifier: Apache-2.0
// The physical lanes of the block, as times instead of states: which lanes serve, which turn until when, and which
// drivers are on. It determines which lane leaves. The TLM model's lane_bank must give the same number and time
// (reference.cpp compares both).
#pragma once

#include <cstdint>
#include <vector>

#include "lane_reversal/model/settings.h"
#include "link/lanes/direction.h"

namespace contraflow::lane_reversal {

class lane_model {
public:
    explicit lane_model(unsigned lanes_per_direction) : lanes_(2 * lanes_per_direction) { reset(); }

    // The state after a reset of the block: the lower half serves a to b.
    void reset();

    // The inputs of cycle t - 1, which take effect from cycle t on. The order in a cycle: join, leave or go back, fail.
    struct orders {
        bool launch = false;
        bool send_back = false;             // at a launch: the lane that turns is a decision's
        bool to_ab = false, to_ba = false;  // a decision or a repair takes a lane away
        std::uint32_t fail = 0;
    };
    void begin_cycle(std::uint64_t t, const orders& o, const settings& s);

    std::uint32_t serving(link::direction d) const { return serving_[d]; }
    std::uint32_t driving(link::direction d) const { return driving_[d]; }
    std::uint32_t failed() const { return failed_; }
    std::uint32_t turning() const { return turning_; }
    std::uint32_t draining() const { return draining_; }    // turning lanes that drain
    std::uint32_t joining() const { return joining_; }      // turning lanes that would serve in the next cycle
    std::uint32_t went_back() const { return went_back_; }  // with this cycle, because of a launch
    unsigned lanes(link::direction d) const;
    unsigned coming(link::direction d) const;  // lanes that turn to it

private:
    struct lane {
        link::direction to = link::direction::ab;
        bool serves = true;
        bool failed = false;
        std::uint64_t drained = 0;                       // when it turns: the first cycle of its turnaround
        std::uint64_t join = 0;                          // when it turns
        link::by_direction<std::uint64_t> driven_until;  // the first cycle without the driver of the end that sends so
    };

    void leave(lane& l, std::uint64_t t, const settings& s);
    void back(lane& l, std::uint64_t t, const settings& s);
    void take(link::direction from, unsigned count, std::uint64_t t, const settings& s);
    link::by_direction<unsigned> shares() const;
    void summarize(std::uint64_t t);

    std::vector<lane> lanes_;
    link::by_direction<std::uint32_t> serving_, driving_;
    std::uint32_t turning_ = 0, draining_ = 0, joining_ = 0, failed_ = 0, went_back_ = 0;
    bool steady_ = true;  // nothing turns, and no driver is on without its lane serving
};

}  // namespace contraflow::lane_reversal
