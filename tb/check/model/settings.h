// SPDX-License-Identifier: Apache-2.0
// The contents of the block's registers, as values.
#pragma once

#include <cstdint>

namespace contraflow::check {

struct settings {
    std::uint32_t sample_time = 5000, switch_time = 100, drain = 4, sync_latency = 0;
    std::uint32_t min_lanes = 1, threshold = 99;
    bool enable = true, guarded = false;
    friend bool operator==(const settings&, const settings&) = default;
};

}  // namespace contraflow::check
