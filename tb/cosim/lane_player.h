// SPDX-License-Identifier: Apache-2.0
// Plays what a link's controller was told, cycle by cycle, against lanes that are stepped. A link knows how busy a
// window was, not each of its cycles: the phits are spread evenly over the lane-cycles that there were, so that the sum
// is exact and no cycle has more than its lanes carry.
#pragma once

#include <functional>
#include <vector>

#include "cosim/lane_recording.h"
#include "cosim/stepped_lanes_if.h"

namespace contraflow::cosim {

class lane_player {
public:
    // `each` is called at the end of every cycle, with the cycle and what was played in it.
    using observer = std::function<void(std::uint64_t cycle)>;
    lane_player(stepped_lanes_if& lanes, std::uint64_t window_length, observer each = {});

    // In order. Cycles are played as far as what happens in them is known: up to a launch, to a window's end.
    void add(const lane_event& e);
    // All cycles up to that one; nothing more happens before it.
    void finish(std::uint64_t last_cycle);
    // The next cycle to be played.
    std::uint64_t next() const { return next_; }

private:
    struct due {
        std::uint64_t at = 0;
        lane_edge edge;
    };
    struct load {
        std::uint64_t from = 0;  // the window's first cycle
        link::by_direction<std::uint64_t> busy, capacity;
    };

    lane_edge& at(std::uint64_t cycle);
    void play(std::uint64_t until, const load& l);

    stepped_lanes_if& lanes_;
    const std::uint64_t window_length_;
    const observer each_;
    std::uint64_t next_ = 0;
    std::uint64_t window_start_ = 0;  // or the launch in it
    std::vector<due> due_;            // in order
};

}  // namespace contraflow::cosim
