// SPDX-License-Identifier: Apache-2.0
// When a direction counts as saturated: busy for 99 % of the lane-cycles it had. Exact, in whole numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "link/lane_controller_if.h"

namespace contraflow::link {

constexpr bool is_saturated(std::uint64_t busy, std::uint64_t capacity) {
    return capacity > 0 && 100 * busy >= 99 * capacity;
}
constexpr bool is_saturated(const window_sample& s, direction d) { return is_saturated(s.busy[d], s.capacity[d]); }

// The direction that is saturated while the other is not.
constexpr std::optional<direction> only_saturated(const window_sample& s) {
    const bool ab = is_saturated(s, direction::ab);
    if (ab == is_saturated(s, direction::ba)) return std::nullopt;
    return ab ? direction::ab : direction::ba;
}

}  // namespace contraflow::link
