// SPDX-License-Identifier: Apache-2.0
// The published policy, but a lane is given only if the giver's traffic would not saturate its remaining lanes. So it
// does not overshoot and need not take a lane back.
#pragma once

#include "link/lanes/published_policy.h"

namespace contraflow::link {

class guarded_policy final : public lane_policy_if {
public:
    explicit guarded_policy(const lane_spec& s) : published_(s), saturation_(s.saturation) {}

    lane_decision window_ended(const window_sample& s) override {
        const lane_decision d = published_.window_ended(s);
        return d != lane_decision::none && !saturation_.with_one_fewer(s, opposite(receiver(d))) ? d
                                                                                                 : lane_decision::none;
    }
    void quiet_windows(std::uint64_t) override {}
    void kernel_launched(std::uint64_t) override {}

private:
    published_policy published_;
    const saturation saturation_;
};

}  // namespace contraflow::link
