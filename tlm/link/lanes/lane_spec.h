// SPDX-License-Identifier: Apache-2.0
// The lanes of a reversible link and how they turn. Times in cycles of the link's clock.
// Source of the defaults: "Asymmetric Links for TMS-GPUs" (NUMA GPUs with dynamically asymmetric links).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "core/units.h"

namespace contraflow::link {

struct lane_spec {
    std::uint32_t lanes_per_direction = 8;
    std::uint32_t min_lanes = 1;
    core::cycles sample_time{5000};
    core::cycles switch_time{100};
    core::cycles drain{4};
    core::cycles sync_latency{0};
    std::uint32_t saturation = 99;
    std::string policy = "published";

    static void describe(config::fields<lane_spec>& f);
};

// Conflicts between its fields.
std::vector<config::problem> problems_of(const lane_spec& s);

}  // namespace contraflow::link
