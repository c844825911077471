// SPDX-License-Identifier: Apache-2.0
// A link's lanes as RTL: the link has the lanes that cf_lane_core shows at its ports. Phits go to the model of the
// lanes' monitors (link/lanes/lane_monitor.h), which gives the core a window's totals in the window's last cycle. The
// core's decision comes decision_cycles later; it is clocked ahead to it.
//
// The core is clocked only when needed. While it says that it is idle, no register changes until an input does
// (scripts/prove: `idle`), so edges are left out. While something is in progress, it is clocked ahead until its lanes
// change, and the link is told when. If an input comes before that, the core goes back to its checkpoint, made at the
// last input, and is clocked from there with the new input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cosim/lane_rtl.h"
#include "link/lanes/lane_monitor.h"
#include "link/lanes/lane_set_if.h"

namespace contraflow::cosim {

class rtl_lane_set final : public link::lane_set_if {
public:
    // `core` makes the RTL, for tests with faulty RTL.
    rtl_lane_set(const link::lane_spec& s, std::uint64_t ticks_a_cycle, const lane_core_factory& core = make_lane_core);

    const link::lane_state& state() const override { return state_; }
    void carried(link::direction d, const link::lane_burst& b) override { monitor_.carried(d, b.carried); }
    void advance(std::uint64_t t) override;
    link::lane_window close_window() override;
    void launch(std::uint64_t t) override;
    bool fail_lane(link::direction d, std::uint64_t t) override;
    void reset(std::uint64_t t) override;

    // Lanes of the core that have failed or do not exist.
    std::uint32_t failing() const { return failing_; }
    // Edges that were clocked.
    std::uint64_t clocked() const { return clocked_; }

private:
    // The last input, and the core's state just before it; the input belongs to the edge that begins cycle `at`.
    struct checkpoint {
        std::vector<std::uint8_t> core;
        std::uint64_t at = 0;
        inputs given;
        link::lane_monitor monitor;  // state at the start of `at`
    };

    inputs& give(std::uint64_t t);
    void clock_given();
    void clock_to(std::uint64_t cycle);
    void settle();
    void edge();
    void go_back();
    inputs nothing() const;
    void end_window_unseen(inputs& in);
    void look_ahead();
    void show();
    bool shows_other_lanes() const;
    void pass_quiet_windows(std::uint64_t t);
    std::uint32_t lane_of(link::direction d);

    const link::lane_spec spec_;
    const std::uint64_t ticks_;
    const std::uint64_t longest_turn_;  // in cycles, with a margin for faulty RTL
    const unsigned absent_;             // lanes that the core has and the link does not
    const std::unique_ptr<lane_core_if> core_;
    std::uint64_t shown_ = 0;  // the cycle that the core shows
    bool settled_ = false;     // its outputs are up to date
    std::uint32_t failing_ = 0;

    link::lane_monitor monitor_;
    link::lane_monitor core_monitor_;  // in the cycle that the core shows, if nothing more is carried
    checkpoint last_;
    link::lane_state state_;
    std::uint32_t a_serve_ = 0, b_serve_ = 0;             // the lanes of state_
    std::uint64_t decided_at_ = link::lane_state::never;  // the cycle in which a decision's lane leaves
    std::uint64_t deciding_ = link::lane_state::never;  // the cycle that shows the decision of the window being closed
    link::lane_decision decision_ = link::lane_decision::none;
    std::uint64_t clocked_ = 0;
};

}  // namespace contraflow::cosim
