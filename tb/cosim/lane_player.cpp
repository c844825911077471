// SPDX-License-Identifier: Apache-2.0
#include "cosim/lane_player.h"

#include <algorithm>
#include <utility>

namespace contraflow::cosim {

using link::both_directions;

lane_player::happening& lane_player::before(std::uint64_t cycle) {
    if (happenings_.empty() || happenings_.back().at != cycle) happenings_.push_back({cycle, false, 0, {}});
    return happenings_.back();
}

void lane_player::add(const lane_event& e) {
    switch (e.happened) {
    case lane_event::what::start: before(e.at) = {e.at, true, e.failed, {}}; break;
    case lane_event::what::launch: before(e.at).edge.launch = true; break;
    case lane_event::what::fault: {
        lane_edge& edge = before(e.at).edge;
        ++edge.faults[e.d];
        edge.failing |= e.failing;
        break;
    }
    }
}

void lane_player::add(link::direction d, const link::lane_burst& b) {
    auto& all = flow_[d].bursts;
    // The rest of a tick belongs to the burst before.
    if (b.from == b.until && !all.empty() && all.back().until == b.from)
        all.back().carried += b.carried;
    else
        all.push_back(b);
}

void lane_player::prepare() {
    lane_edge edge;
    if (!happenings_.empty() && happenings_.front().at <= next_) {
        const happening& h = happenings_.front();
        if (h.start) lanes_.start(h.at, h.failed);
        if (h.start || h.edge.launch)
            for (const auto d : both_directions) flow_[d].part = flow_[d].waiting = 0;
        next_ = h.at;
        edge = h.edge;
        happenings_.pop_front();
    }
    lanes_.prepare(edge);
}

void lane_player::begin() {
    lanes_.begin();
    ++next_;
}

// The phits carried in the current cycle.
std::uint64_t lane_player::phits(flow& f, unsigned lanes) const {
    const std::uint64_t end = next_ * ticks_;
    while (!f.bursts.empty() && f.bursts.front().from < end) {
        const link::lane_burst& b = f.bursts.front();
        const bool over = b.until <= end;
        const std::uint64_t carried = over ? b.carried : b.lanes * (end - b.from);
        f.part += carried - f.taken;
        f.taken = over ? 0 : carried;
        if (!over) break;
        f.bursts.pop_front();
    }
    f.waiting += f.part / ticks_;
    f.part %= ticks_;
    const std::uint64_t n = std::min<std::uint64_t>(f.waiting, lanes);
    f.waiting -= n;
    return n;
}

void lane_player::issue() {
    const outputs& o = lanes_.view();
    issued_ = {phits(flow_.ab, o.lanes_ab), phits(flow_.ba, o.lanes_ba)};
    lanes_.issue(issued_);
}

void lane_player::play(std::uint64_t until) {
    while (next_ < until) {
        prepare();
        begin();
        issue();
    }
}

player_factory player_of(lane_recording recorded) {
    return [all = std::move(recorded)](lane_lockstep& lanes) {
        auto player = std::make_unique<lane_player>(lanes, all.ticks_a_cycle);
        for (const lane_event& e : all.events) player->add(e);
        for (const auto d : both_directions)
            for (const link::lane_burst& b : all.bursts[d]) player->add(d, b);
        return player;
    };
}

}  // namespace contraflow::cosim
