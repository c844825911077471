// SPDX-License-Identifier: Apache-2.0
// The monitors of a link's lanes, as sums over a window: busy lane-cycles and available lane-cycles. The hardware is
// rtl/lane_reversal/cf_lane_monitor.sv, which counts phit by phit. A lockstep run checks in every cycle that both
// agree.
#pragma once

#include <cstdint>

#include "link/lanes/direction.h"

namespace contraflow::link {

class lane_monitor {
public:
    lane_monitor(std::uint64_t window_length, std::uint64_t ticks_a_cycle)
        : window_length_(window_length),
          ticks_(ticks_a_cycle) {}

    std::uint64_t window_end() const { return window_start_ + window_length_; }
    void carried(direction d, std::uint64_t lane_ticks) { carried_[d] += lane_ticks; }
    // Until cycle t, that many lanes have served since the last call.
    void served(std::uint64_t t, const by_direction<unsigned>& lanes) {
        for (const auto d : both_directions) capacity_[d] += lanes[d] * (t - accounted_);
        accounted_ = t;
    }

    by_direction<std::uint64_t> busy() const { return {carried_.ab / ticks_, carried_.ba / ticks_}; }
    const by_direction<std::uint64_t>& capacity() const { return capacity_; }
    bool quiet() const { return carried_.ab < ticks_ && carried_.ba < ticks_; }

    // Ends the window and begins another. An incomplete phit belongs to the next window.
    void next_window() {
        begin_window(window_end());
        for (const auto d : both_directions) carried_[d] %= ticks_;
    }
    // Skips the quiet windows that end by cycle t; returns their number.
    std::uint64_t pass_quiet_windows(std::uint64_t t) {
        const std::uint64_t windows = t < window_end() ? 0 : (t - window_start_) / window_length_;
        if (windows > 0) begin_window(window_start_ + windows * window_length_);
        return windows;
    }
    // After a launch or a reset: a window begins at t, with nothing counted.
    void restart(std::uint64_t t) {
        begin_window(t);
        carried_ = {};
    }

private:
    void begin_window(std::uint64_t t) {
        window_start_ = accounted_ = t;
        capacity_ = {};
    }

    std::uint64_t window_length_, ticks_;
    std::uint64_t window_start_ = 0;
    std::uint64_t accounted_ = 0;           // capacity is complete up to this cycle
    by_direction<std::uint64_t> carried_;   // lane-ticks
    by_direction<std::uint64_t> capacity_;  // lane-cycles
};

}  // namespace contraflow::link
