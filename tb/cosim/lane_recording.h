// SPDX-License-Identifier: Apache-2.0
// The inputs of a set of lanes in order: enough to replay them cycle by cycle and phit by phit.
#pragma once

#include <cstdint>
#include <vector>

#include "link/lanes/lane_set_if.h"

namespace contraflow::cosim {

struct lane_event {
    enum class what : std::uint8_t { start, launch, fault };
    what happened = what::start;
    link::direction d = link::direction::ab;  // for a fault
    std::uint64_t at = 0;                     // the cycle that it comes before
    unsigned failed = 0;                      // for a start: lanes that had failed before
    std::uint32_t failing = 0;                // for a fault: the lane of the RTL
};

struct lane_recording {
    std::uint64_t ticks_a_cycle = 1;
    std::vector<lane_event> events;
    link::by_direction<std::vector<link::lane_burst>> bursts;

    // A burst that continues the one before on the same number of lanes is merged with it.
    void add(link::direction d, const link::lane_burst& b) {
        auto& all = bursts[d];
        if (!all.empty() && all.back().until == b.from && (all.back().lanes == b.lanes || b.from == b.until)) {
            all.back().until = b.until;
            all.back().carried += b.carried;
        } else {
            all.push_back(b);
        }
    }
};

}  // namespace contraflow::cosim
