// SPDX-License-Identifier: Apache-2.0
// What a link's controller was told, in order: enough to play it again, cycle by cycle. Quiet windows are left out;
// they are where nothing else is.
#pragma once

#include <cstdint>
#include <vector>

#include "link/lane_controller_if.h"

namespace contraflow::cosim {

struct lane_event {
    enum class what : std::uint8_t { start, launch, fault, window };
    what happened = what::start;
    link::direction d = link::direction::ab;           // of a fault
    std::uint64_t at = 0;                              // cycle that it comes before; a window's end
    link::by_direction<unsigned> lanes;                // of a start
    link::by_direction<std::uint64_t> busy, capacity;  // of a window
};

using lane_recording = std::vector<lane_event>;

}  // namespace contraflow::cosim
