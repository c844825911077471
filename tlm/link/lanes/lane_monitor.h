// SPDX-License-Identifier: Apache-2.0
// The monitors beside the lanes of a link, as totals of a window: lane-cycles that carried something, and lane-cycles
// that there were. In hardware: rtl/lane_reversal/cf_lane_monitor.sv, which counts phit by phit; that both come to the
// same is checked in every cycle of a run in lockstep.
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
    // Up to cycle t so many lanes have served since this was last said.
    void served(std::uint64_t t, const by_direction<unsigned>& lanes) {
        for (const auto d : both_directions) capacity_[d] += lanes[d] * (t - accounted_);
        accounted_ = t;
    }

    by_direction<std::uint64_t> busy() const { return {carried_.ab / ticks_, carried_.ba / ticks_}; }
    const by_direction<std::uint64_t>& capacity() const { return capacity_; }
    bool quiet() const { return carried_.ab < ticks_ && carried_.ba < ticks_; }

    // The window has ended, and another begins: a phit that is not complete is the next one's.
    void next_window() {
        begin_window(window_end());
        for (const auto d : both_directions) carried_[d] %= ticks_;
    }
    // Quiet windows that end by cycle t go by; how many.
    std::uint64_t pass_quiet_windows(std::uint64_t t) {
        const std::uint64_t windows = t < window_end() ? 0 : (t - window_start_) / window_length_;
        if (windows > 0) begin_window(window_start_ + windows * window_length_);
        return windows;
    }
    // A launch or a reset: a window begins at t, with nothing counted.
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
