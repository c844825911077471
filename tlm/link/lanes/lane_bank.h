// SPDX-License-Identifier: Apache-2.0
// The lanes of one link as a model: how many serve each direction, how many are turning and until when, and the windows
// at whose ends a policy decides. Pure arithmetic over cycles; lanes are counted, not told apart. In any cycle
// lanes(ab) + lanes(ba) + turning + failed = twice the lanes that a direction began with. This is the one model of
// lanes in tlm/. The verification of the RTL has a second one, tb/lane_reversal/model/lane_model.h, which shares no
// code with it: two independent descriptions find errors that one would share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "link/lanes/lane_monitor.h"
#include "link/lanes/lane_set_if.h"
#include "link/lanes/lane_spec.h"

namespace contraflow::link {

class lane_bank final : public lane_set_if {
public:
    // The policy must outlive the bank.
    lane_bank(const lane_spec& s, lane_policy_if& policy, std::uint64_t ticks_a_cycle = 1);
    lane_bank(const lane_spec& s, std::unique_ptr<lane_policy_if> policy, std::uint64_t ticks_a_cycle = 1);

    const lane_state& state() const override { return state_; }
    void carried(direction d, const lane_burst& b) override { monitor_.carried(d, b.carried); }
    void advance(std::uint64_t t) override;
    lane_window close_window() override;
    void launch(std::uint64_t t) override;
    bool fail_lane(direction d, std::uint64_t t) override;
    void reset(std::uint64_t t) override;

    // The direction that a pending decision gives its lane to.
    std::optional<direction> pending() const { return pending_; }
    // The current window before cycle t. Nothing may have changed since the last advance.
    by_direction<std::uint64_t> busy() const { return monitor_.busy(); }
    by_direction<std::uint64_t> capacity_before(std::uint64_t t) const;

private:
    struct turn {
        std::uint64_t join = 0;
        direction to = direction::ab;
    };

    void start(const lane_spec& s);
    void restart_window(std::uint64_t t);
    void pass_quiet_windows(std::uint64_t t);
    void find_next_change();
    void leave(direction from, std::uint64_t join);
    void start_pending_turn();
    void drop_pending();
    void mend(std::uint64_t t);
    void find_too_few(std::uint64_t t);
    // Including the lanes that are turning to them.
    by_direction<unsigned> have() const;
    static by_direction<unsigned> symmetric(const by_direction<unsigned>& have);
    bool may_turn(direction to) const { return state_.lanes[opposite(to)] > min_lanes_; }

    const unsigned lanes_per_direction_;
    const unsigned min_lanes_;
    const std::uint64_t turnaround_;  // from leaving to joining
    const std::uint64_t sync_latency_;
    const std::unique_ptr<lane_policy_if> owned_;
    lane_policy_if& policy_;

    lane_monitor monitor_;
    lane_state state_;
    std::vector<turn> turning_;  // in the order of leaving
    bool decided_ = false;       // a lane is turning because of a decision; it is the only one
    std::optional<direction> pending_;
    std::uint64_t pending_at_ = lane_state::never;
    std::optional<direction> too_few_;
    std::uint64_t mend_at_ = lane_state::never;
};

}  // namespace contraflow::link
