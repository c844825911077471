// SPDX-License-Identifier: Apache-2.0
// The lanes of a reversible link and how they turn. Times in cycles of the link's clock.
// The defaults are the reset values of the controller's registers, which have them from "Asymmetric Links for TMS-GPUs"
// (NUMA GPUs with dynamically asymmetric links).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "core/units.h"
#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::link {

struct lane_spec {
    std::uint32_t lanes_per_direction = 8;
    std::uint32_t min_lanes = lane_reversal_registers::min_lanes_lanes.reset;
    core::cycles sample_time{lane_reversal_registers::sample_time_cycles.reset};
    core::cycles switch_time{lane_reversal_registers::switch_time_cycles.reset};
    core::cycles drain{lane_reversal_registers::drain_cycles.reset};
    core::cycles sync_latency{lane_reversal_registers::sync_latency_cycles.reset};
    std::uint32_t saturation = lane_reversal_registers::threshold_percent.reset;
    std::string policy = "published";

    static void describe(config::fields<lane_spec>& f);
};

// Conflicts between its fields.
std::vector<config::problem> problems_of(const lane_spec& s);

}  // namespace contraflow::link
