// SPDX-License-Identifier: Apache-2.0
// The lanes of one link and their controller, cycle by cycle: prepare() what comes with the next cycle, begin() it, see
// how many lanes serve, say how many phits they carry in it, and view() what the controller makes of that.
#pragma once

#include <cstdint>

#include "cosim/lane_block.h"

namespace contraflow::cosim {

class stepped_lanes_if {
public:
    virtual ~stepped_lanes_if() = default;
    // All from the beginning; the next cycle is `at`, and a kernel is launched then.
    virtual void start(std::uint64_t at, const link::by_direction<unsigned>& lanes) = 0;
    virtual void prepare(const lane_edge& e) = 0;
    virtual void begin() = 0;
    // Of the cycle that has begun, and at most as many as the lanes that serve.
    virtual void issue(const link::by_direction<std::uint64_t>& phits) = 0;
    // After begin() only what comes from registers, as lane_block says.
    virtual const lane_view& view() const = 0;
    // Passes over as many cycles as it can, none at least, in which nothing happens. The one that it then shows is
    // still to be issued to.
    virtual std::uint64_t pass(std::uint64_t at_most) = 0;
    // What was issued in the cycles of this window that were passed over, and nothing besides.
    virtual void count(const link::by_direction<std::uint64_t>& phits) = 0;
};

}  // namespace contraflow::cosim
