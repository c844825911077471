// SPDX-License-Identifier: Apache-2.0
// Plays what a link's controller was told, cycle by cycle, against lanes that are stepped. A link knows how busy a
// window was, not each of its cycles: the phits are spread evenly over the lane-cycles that there were, so that the sum
// is exact and no cycle has more than its lanes carry.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "cosim/cycle_player_if.h"
#include "cosim/lane_recording.h"
#include "cosim/stepped_lanes_if.h"

namespace contraflow::cosim {

class lane_player final : public cycle_player_if {
public:
    lane_player(stepped_lanes_if& lanes, std::uint64_t window_length) : lanes_(lanes), window_length_(window_length) {}

    // In the order in which it happened.
    void add(const lane_event& e);
    // All cycles before that one, of which everything must be known: it is at most a launch, or a window's end.
    void play(std::uint64_t until);
    // What was issued in what is passed over is only counted.
    void seek(std::uint64_t until) override;

    std::uint64_t next() const override { return next_; }
    void prepare() override;
    void begin() override;
    void issue() override;

private:
    struct happening {  // before a cycle
        std::uint64_t at = 0;
        bool start = false;
        link::by_direction<unsigned> lanes;  // of a start
        lane_edge edge;
    };
    struct load {  // of a window
        std::uint64_t from = 0, end = 0;
        link::by_direction<std::uint64_t> busy, capacity;
    };

    happening& before(std::uint64_t cycle);
    const load* now() const;
    void measure(std::uint64_t cycles);
    link::by_direction<std::uint64_t> share_of(const load& l) const;

    stepped_lanes_if& lanes_;
    const std::uint64_t window_length_;
    std::uint64_t next_ = 0;
    std::uint64_t last_launch_ = 0;     // that was added
    std::deque<happening> happenings_;  // in order
    std::deque<load> loads_;
    link::by_direction<std::uint64_t> capacity_, issued_;  // of the first load, so far
};

// For lanes that are made when they are played: with all events, of links whose windows are that long.
std::function<std::unique_ptr<cycle_player_if>(stepped_lanes_if& lanes)> player_of(lane_recording events,
                                                                                   std::uint64_t window_length);

}  // namespace contraflow::cosim
