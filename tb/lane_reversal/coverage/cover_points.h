// SPDX-License-Identifier: Apache-2.0
// All functional cover points. A run counts them, the table demands all of them (plan.yaml
// names them by feature). Points of a split exist once for every split of the block's lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace contraflow::lane_reversal {

enum class cover_point : std::uint8_t {
#define CF_COVER_POINT(id, name) id,
#include "lane_reversal/coverage/cover_points.inc"
#undef CF_COVER_POINT
    count
};

inline constexpr std::array<const char*, static_cast<std::size_t>(cover_point::count)> cover_names{{
#define CF_COVER_POINT(id, name) name,
#include "lane_reversal/coverage/cover_points.inc"
#undef CF_COVER_POINT
}};

}  // namespace contraflow::lane_reversal
