// SPDX-License-Identifier: Apache-2.0
// A link's lane controller as RTL and TLM model side by side, every cycle of both: a level_difference is thrown at the
// first cycle in which they do not agree. The decisions are the RTL's.
#pragma once

#include <string>

#include "cosim/lane_lockstep.h"
#include "cosim/lane_player.h"
#include "cosim/link_agreement.h"

namespace contraflow::cosim {

class lockstep_lane_controller final : public link::lane_controller_if {
public:
    lockstep_lane_controller(const std::string& name, const link::lane_spec& s)
        : lockstep_lane_controller(name, s, s) {}
    // With settings of its own for each.
    lockstep_lane_controller(const std::string& name, const link::lane_spec& rtl, const link::lane_spec& model)
        : name_(name),
          both_(name, rtl, model),
          player_(both_, rtl.sample_time.count) {}

    link::lane_decision window_ended(const link::window_sample& s) override {
        player_.add({lane_event::what::window, {}, s.end, {}, s.busy, s.capacity});
        player_.play(s.end);
        expect_agreement(name_, "RTL, and its model,", both_.view(), s);
        return both_.view().decision;
    }
    void quiet_windows(std::uint64_t) override {}  // are played with what comes after them
    void kernel_launched(std::uint64_t at) override {
        player_.play(at);
        player_.add({lane_event::what::launch, {}, at, {}, {}, {}});
    }
    void started(std::uint64_t at, const link::by_direction<unsigned>& lanes) override {
        if (started_) player_.play(at);
        started_ = true;
        player_.add({lane_event::what::start, {}, at, lanes, {}, {}});
    }
    void lane_failed(link::direction d, std::uint64_t at) override {
        player_.add({lane_event::what::fault, d, at, {}, {}, {}});
    }
    // A lane may turn, and fail, behind the last window with traffic.
    void finished(std::uint64_t at) override {
        if (started_) player_.play(at);
    }

private:
    const std::string name_;
    lane_lockstep both_;
    lane_player player_;
    bool started_ = false;
};

}  // namespace contraflow::cosim
