// SPDX-License-Identifier: Apache-2.0
// Like published if exactly one direction is saturated. In addition:
// - if none is saturated, lanes turn for expected bursts: the load of each direction is predicted from its smoothed
//   past and its trend, and a lane turns if that lowers the sum of load over lanes by more than 1/32;
// - if both are saturated, and one has fewer lanes, its demand cannot be measured: it gets a lane as a trial. Each
//   trial whose lane was not needed doubles the time until the next.
// This policy is our own. It uses whole numbers that fit a small block of hardware. Its gain: docs/lane_replay.md.
#pragma once

#include "link/lanes/lane_spec.h"
#include "link/lanes/saturation.h"

namespace contraflow::link {

class predictive_policy final : public lane_policy_if {
public:
    explicit predictive_policy(const lane_spec& s);

    lane_decision window_ended(const window_sample& s) override;
    void quiet_windows(std::uint64_t windows) override;
    void kernel_launched(std::uint64_t) override;

private:
    // Loads in 1/1024 of a lane.
    static constexpr std::int64_t lane = 1024;
    static constexpr unsigned first_patience = 2, longest_patience = 64;  // windows

    struct load {
        std::int64_t smooth = 0;  // a quarter of what is new
        std::int64_t last = 0;
        std::int64_t foreseen = 0;
        void add(std::int64_t now);
    };

    lane_decision by_load(const window_sample& s) const;
    lane_decision trial(const window_sample& s);
    bool lessens(const window_sample& s, direction to) const;
    bool may_give(const window_sample& s, direction d) const { return s.lanes[d] > min_lanes_; }

    const unsigned min_lanes_;
    const saturation saturation_;
    const std::uint64_t window_;
    struct {
        by_direction<load> loads;
        unsigned patience = first_patience;  // windows with both saturated before a trial
        unsigned saturated = 0;              // such windows so far
        bool trying = false;
        direction tried = direction::ab;
    } state_;
};

}  // namespace contraflow::link
