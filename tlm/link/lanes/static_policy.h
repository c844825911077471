// SPDX-License-Identifier: Apache-2.0
// No lane ever turns: an ordinary link.
#pragma once

#include "link/lanes/lane_policy_if.h"
#include "link/lanes/lane_spec.h"

namespace contraflow::link {

class static_policy final : public lane_policy_if {
public:
    explicit static_policy(const lane_spec&) {}
    lane_decision window_ended(const window_sample&) override { return lane_decision::none; }
    void quiet_windows(std::uint64_t) override {}
    void kernel_launched(std::uint64_t) override {}
};

}  // namespace contraflow::link
