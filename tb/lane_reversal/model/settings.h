// SPDX-License-Identifier: Apache-2.0
// The contents of the block's registers, as values; at first those after reset.
#pragma once

#include <cstdint>

#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::lane_reversal {

namespace map = link::lane_reversal_registers;

// Cycles of the block's registers at the inputs and behind the counts, until phits show in totals; and from a window's
// last cycle to its decision, which no window and no sync latency may be shorter than.
inline constexpr std::uint32_t monitor_cycles = 2;
inline constexpr std::uint32_t decision_cycles = map::sync_latency_cycles.least;

struct settings {
    std::uint32_t sample_time = map::sample_time_cycles.reset;
    std::uint32_t switch_time = map::switch_time_cycles.reset;
    std::uint32_t drain = map::drain_cycles.reset;
    std::uint32_t sync_latency = map::sync_latency_cycles.reset;
    std::uint32_t min_lanes = map::min_lanes_lanes.reset;
    std::uint32_t threshold = map::threshold_percent.reset;
    bool enable = map::ctrl_enable.reset != 0, guarded = map::ctrl_guarded.reset != 0;
    friend bool operator==(const settings&, const settings&) = default;
};

}  // namespace contraflow::lane_reversal
