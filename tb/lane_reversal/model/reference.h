// SPDX-License-Identifier: Apache-2.0
// The expected pins of the block in every cycle: a second description of the lanes and the rules, written for this
// bench and without any code of the model's (tlm/link/lanes/lane_bank.h). While the model covers the test, a lane_bank
// with its policy runs in parallel, and both must agree on their common outputs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "lane_reversal/model/lane_model.h"
#include "lane_reversal/model/pins.h"
#include "lane_reversal/model/register_model.h"
#include "link/lanes/lane_bank.h"

namespace contraflow::lane_reversal {

class reference final : public pins_if {
public:
    explicit reference(const block_parameters& p);

    void edge() override;
    void drive(const inputs& in) override;
    const outputs& out() const override { return out_; }

    const settings& holding() const { return registers_.holding(); }
    bool settled() const { return registers_.settled(); }
    std::uint64_t cycle_of_window() const { return cycle_of_window_; }
    link::by_direction<std::uint64_t> busy_before() const { return totals_.busy; }
    link::by_direction<std::uint64_t> capacity_before() const { return totals_.capacity; }
    // A window's totals up to this cycle, which the block shows monitor_cycles later.
    struct totals {
        link::by_direction<std::uint64_t> busy, capacity;
        bool whole = false;  // of a window that has ended
    };
    const totals& window() const { return now_totals_; }
    // What the window that ends with this cycle decides; the block shows it decision_cycles later.
    link::lane_decision decides() const { return ending_.may ? ending_.wish : link::lane_decision::none; }
    bool deciding() const { return ended_.left != 0; }
    bool decided() const { return decided_; }
    // The window that ended last decides, which is still to be shown.
    bool will_decide() const { return deciding() && ended_.may && ended_.wish != link::lane_decision::none; }
    // Whether the model takes part: it covers everything that has happened.
    bool modelled() const { return bank_.has_value(); }
    // The first difference between the model and this reference; empty if there is none.
    const std::string& disagreement() const { return disagreement_; }
    // The events of the next edge, from the last inputs.
    bool repairs() const { return repair_; }
    bool repairs_to(link::direction d) const { return repair_to_[d]; }
    bool turns() const { return go_.ab || go_.ba; }
    bool applies() const { return apply_; }
    bool holds_off() const { return held_off_; }
    bool decision_lane_turns() const { return under_way_; }
    const lane_model& lanes() const { return lanes_; }

private:
    void reset();
    void show(const inputs& in);
    link::lane_decision wish() const;
    void decide();
    void drop_or_hold();
    void follow(const settings& before, bool first, std::uint32_t fail);
    void compare_with_model();
    void bound_wait(bool turns_are_decided);
    register_model::live live() const;

    const block_parameters parameters_;
    register_model registers_;
    lane_model lanes_;
    std::optional<link::lane_bank> bank_;
    std::uint64_t bank_begins_ = 0;  // its cycle 0
    std::string disagreement_;

    inputs in_;
    outputs out_;
    std::uint64_t now_ = 0;
    bool running_ = false;
    std::uint64_t cycle_of_window_ = 0;
    totals totals_;                               // before this cycle
    totals now_totals_;                           // with this cycle
    std::array<totals, monitor_cycles> shown_{};  // of the cycles before, the last one first
    // The window that ended last.
    struct ended {
        std::uint64_t left = 0;  // cycles until its decision shows, with this one; 0: it has been shown
        link::lane_decision wish = link::lane_decision::none;
        bool may = false;      // it may decide
        bool dropped = false;  // what it decides is
        std::optional<link::lane_decision> of_model;
    };
    ended ended_;
    ended ending_;  // the one that ends with this cycle
    std::optional<link::direction> pending_;
    std::uint64_t pending_left_ = 0;  // cycles of the sync latency, with this one
    bool under_way_ = false;          // a turning lane belongs to a decision
    std::uint64_t waits_ = 0;         // cycles for which a setting has waited
    bool bounded_ = true;             // in none of them another cause has turned a lane

    // values of this cycle
    link::by_direction<bool> spare_, go_;
    bool repair_ = false, apply_ = false;
    bool held_off_ = false;  // a setting that waits holds off a decision
    link::by_direction<bool> repair_to_;
    link::lane_decision decision_ = link::lane_decision::none;
    bool decided_ = false;  // and it was not dropped
};

}  // namespace contraflow::lane_reversal
