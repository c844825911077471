// SPDX-License-Identifier: Apache-2.0
#include "cosim/lane_player.h"

#include <algorithm>
#include <utility>

namespace contraflow::cosim {

lane_player::lane_player(stepped_lanes_if& lanes, std::uint64_t window_length, observer each)
    : lanes_(lanes),
      window_length_(window_length),
      each_(std::move(each)) {}

lane_edge& lane_player::at(std::uint64_t cycle) {
    if (due_.empty() || due_.back().at != cycle) due_.push_back({cycle, {}});
    return due_.back().edge;
}

void lane_player::add(const lane_event& e) {
    switch (e.happened) {
    case lane_event::what::start:
        if (e.at > 0) play(e.at, {});
        due_.clear();
        lanes_.start(e.at, e.lanes);
        next_ = window_start_ = e.at;
        break;
    case lane_event::what::launch:
        play(e.at, {});
        at(e.at).launch = true;
        window_start_ = e.at;
        break;
    case lane_event::what::fault: ++at(e.at).faults[e.d]; break;
    case lane_event::what::window:
        play(e.at, {std::max(window_start_, e.at - std::min(e.at, window_length_)), e.busy, e.capacity});
        break;
    }
}

void lane_player::finish(std::uint64_t last_cycle) { play(last_cycle + 1, {}); }

void lane_player::play(std::uint64_t until, const load& l) {
    link::by_direction<std::uint64_t> capacity, issued;
    for (; next_ < until; ++next_) {
        lane_edge edge;
        if (!due_.empty() && due_.front().at == next_) {
            edge = due_.front().edge;
            due_.erase(due_.begin());
        }
        lanes_.begin(edge);
        link::by_direction<std::uint64_t> phits;
        if (next_ >= l.from)
            for (const auto d : link::both_directions) {
                capacity[d] += lanes_.view().lanes[d];
                // As much of the window's phits as of its lane-cycles.
                const std::uint64_t share =
                    l.capacity[d] == 0 ? 0 : l.busy[d] * std::min(capacity[d], l.capacity[d]) / l.capacity[d];
                phits[d] = std::min<std::uint64_t>(share - issued[d], lanes_.view().lanes[d]);
                issued[d] += phits[d];
            }
        lanes_.issue(phits);
        if (each_) each_(next_);
    }
}

}  // namespace contraflow::cosim
