// SPDX-License-Identifier: Apache-2.0
#include "cosim/lane_player.h"

#include <algorithm>
#include <utility>

namespace contraflow::cosim {

using link::both_directions;
using link::by_direction;

lane_player::happening& lane_player::before(std::uint64_t cycle) {
    if (happenings_.empty() || happenings_.back().at != cycle) happenings_.push_back({cycle, false, {}, {}});
    return happenings_.back();
}

void lane_player::add(const lane_event& e) {
    switch (e.happened) {
    case lane_event::what::start: {
        happening& h = before(e.at);
        h = {e.at, true, e.lanes, {}};
        last_launch_ = e.at;
        break;
    }
    case lane_event::what::launch:
        before(e.at).edge.launch = true;
        last_launch_ = e.at;
        break;
    case lane_event::what::fault: ++before(e.at).edge.faults[e.d]; break;
    case lane_event::what::window:
        loads_.push_back({std::max(last_launch_, e.at - std::min(e.at, window_length_)), e.at, e.busy, e.capacity});
        break;
    }
}

void lane_player::prepare() {
    lane_edge edge;
    if (!happenings_.empty() && happenings_.front().at <= next_) {
        const happening& h = happenings_.front();
        if (h.start) lanes_.start(h.at, h.lanes);
        next_ = h.at;
        edge = h.edge;
        happenings_.pop_front();
    }
    lanes_.prepare(edge);
}

void lane_player::begin() {
    lanes_.begin();
    ++next_;
    if (!loads_.empty() && loads_.front().end < next_) {
        loads_.pop_front();
        capacity_ = issued_ = {};
    }
}

// That of the cycle that has begun.
const lane_player::load* lane_player::now() const {
    return !loads_.empty() && loads_.front().from < next_ ? &loads_.front() : nullptr;
}

void lane_player::measure(std::uint64_t cycles) {
    if (now() == nullptr) return;
    for (const auto d : both_directions) capacity_[d] += lanes_.view().lanes[d] * cycles;
}

// As much of the window's phits as of its lane-cycles.
by_direction<std::uint64_t> lane_player::share_of(const load& l) const {
    by_direction<std::uint64_t> share;
    for (const auto d : both_directions)
        share[d] = l.capacity[d] == 0 ? 0 : l.busy[d] * std::min(capacity_[d], l.capacity[d]) / l.capacity[d];
    return share;
}

void lane_player::issue() {
    measure(1);
    by_direction<std::uint64_t> phits;
    if (const load* const l = now(); l != nullptr) {
        const auto share = share_of(*l);
        for (const auto d : both_directions) {
            phits[d] = std::min<std::uint64_t>(share[d] - issued_[d], lanes_.view().lanes[d]);
            issued_[d] += phits[d];
        }
    }
    lanes_.issue(phits);
}

void lane_player::play(std::uint64_t until) {
    while (next_ < until) {
        prepare();
        begin();
        issue();
    }
}

void lane_player::seek(std::uint64_t until) {
    while (next_ < until) {
        prepare();
        begin();
        measure(1);
        std::uint64_t stop = until;
        if (!happenings_.empty()) stop = std::min(stop, happenings_.front().at);
        if (!loads_.empty()) stop = std::min(stop, now() != nullptr ? loads_.front().end : loads_.front().from);
        if (const std::uint64_t n = stop > next_ ? lanes_.pass(stop - next_) : 0; n > 0) {
            next_ += n;
            measure(n);
        }
        // At a window's end, and where cycles are played one by one from here on, all is counted that was passed over.
        by_direction<std::uint64_t> phits;
        if (const load* const l = now(); l != nullptr && (next_ == l->end || next_ == until)) {
            issued_ = share_of(*l);
            for (const auto d : both_directions) phits[d] = std::min<std::uint64_t>(issued_[d], lanes_.view().lanes[d]);
            lanes_.count({issued_.ab - phits.ab, issued_.ba - phits.ba});
        }
        lanes_.issue(phits);
    }
}

std::function<std::unique_ptr<cycle_player_if>(stepped_lanes_if& lanes)> player_of(lane_recording events,
                                                                                   std::uint64_t window_length) {
    return [all = std::move(events), window_length](stepped_lanes_if& lanes) {
        auto player = std::make_unique<lane_player>(lanes, window_length);
        for (const lane_event& e : all) player->add(e);
        return player;
    };
}

}  // namespace contraflow::cosim
