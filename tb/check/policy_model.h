// SPDX-License-Identifier: Apache-2.0
// The model's own policies behind the block's settings. They know one threshold, 99 per cent; another one is the same
// question with both sides scaled: 100 * busy >= t * capacity is 100 * (99 * busy) >= 99 * (t * capacity).
#pragma once

#include "check/settings.h"
#include "link/guarded_policy.h"
#include "link/published_policy.h"

namespace contraflow::check {

class policy_model final : public link::lane_controller_if {
public:
    void set(const settings& s) { settings_ = s; }

    link::lane_decision window_ended(const link::window_sample& s) override {
        if (!settings_.enable) return link::lane_decision::none;
        link::window_sample scaled = s;
        for (const auto d : link::both_directions) {
            scaled.busy[d] = 99 * s.busy[d];
            scaled.capacity[d] = settings_.threshold * s.capacity[d];
            // At 0 per cent whatever has a lane is saturated, and nothing is below it.
            if (settings_.threshold == 0) scaled.busy[d] = scaled.capacity[d] = s.capacity[d];
        }
        link::lane_spec spec;
        spec.min_lanes = settings_.min_lanes;
        if (settings_.guarded) return link::guarded_policy(spec).window_ended(scaled);
        return link::published_policy(spec).window_ended(scaled);
    }
    void quiet_windows(std::uint64_t) override {}
    void kernel_launched(std::uint64_t) override {}

private:
    settings settings_;
};

}  // namespace contraflow::check
