// SPDX-License-Identifier: Apache-2.0
// If exactly one direction is saturated, the other gives it a lane. Source: "Asymmetric Links for TMS-GPUs", the lane
// controller of each link.
#pragma once

#include "link/lanes/lane_spec.h"
#include "link/lanes/saturation.h"

namespace contraflow::link {

class published_policy final : public lane_policy_if {
public:
    explicit published_policy(const lane_spec& s) : min_lanes_(s.min_lanes), saturation_(s.saturation) {}

    lane_decision window_ended(const window_sample& s) override {
        const auto wanting = s.turning ? std::nullopt : saturation_.only(s);
        return wanting && s.lanes[opposite(*wanting)] > min_lanes_ ? towards(*wanting) : lane_decision::none;
    }
    void quiet_windows(std::uint64_t) override {}
    void kernel_launched(std::uint64_t) override {}

private:
    const unsigned min_lanes_;
    const saturation saturation_;
};

}  // namespace contraflow::link
