// SPDX-License-Identifier: Apache-2.0
// When a direction counts as saturated: busy for at least that percentage of its lane-cycles. Exact, in whole numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "link/lanes/lane_policy_if.h"

namespace contraflow::link {

class saturation {
public:
    constexpr explicit saturation(std::uint64_t percent) : percent_(percent) {}

    constexpr bool of(std::uint64_t busy, std::uint64_t capacity) const {
        return capacity > 0 && 100 * busy >= percent_ * capacity;
    }
    constexpr bool of(const window_sample& s, direction d) const { return of(s.busy[d], s.capacity[d]); }
    // The direction that is saturated while the other is not.
    constexpr std::optional<direction> only(const window_sample& s) const {
        const bool ab = of(s, direction::ab);
        if (ab == of(s, direction::ba)) return std::nullopt;
        return ab ? direction::ab : direction::ba;
    }
    // Whether the same traffic would saturate one lane fewer.
    constexpr bool with_one_fewer(const window_sample& s, direction d) const {
        return 100 * s.busy[d] * s.lanes[d] >= percent_ * s.capacity[d] * (s.lanes[d] - 1);
    }

private:
    std::uint64_t percent_;
};

}  // namespace contraflow::link
