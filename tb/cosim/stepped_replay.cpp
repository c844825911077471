// SPDX-License-Identifier: Apache-2.0
#include "cosim/stepped_replay.h"

#include <algorithm>
#include <utility>

namespace contraflow::cosim {
namespace {

using link::both_directions;
using link::by_direction;

class player {
public:
    player(stepped_lanes_if& lanes, const std::function<bool()>& keep_going) : lanes_(lanes), keep_going_(keep_going) {}

    link::replay_result play(const link::lane_spec& s, const std::vector<link::trace_row>& trace) {
        lanes_.start(0, {s.lanes_per_direction, s.lanes_per_direction});
        serving_ = {s.lanes_per_direction, s.lanes_per_direction};
        for (const auto& row : trace) {
            launch_ = launch_ || row.launch;
            for (std::uint64_t left = row.cycles; left > 0 && result_.complete;) left -= pass(left, row.arrivals);
        }
        while (result_.complete && queue_.ab + queue_.ba > 0) pass(1, {});
        result_.drained = now_;
        return std::move(result_);
    }

private:
    // A cycle, and those after it in which nothing arrives and nothing happens; returns how many.
    std::uint64_t pass(std::uint64_t at_most, const by_direction<std::uint64_t>& arrivals) {
        cycle(arrivals);
        const bool quiet = arrivals.ab + arrivals.ba + queue_.ab + queue_.ba == 0;
        const std::uint64_t passed = quiet && at_most > 1 ? lanes_.pass(at_most - 1) : 0;
        now_ += passed;
        if (passed > 0) end_of_cycle({});
        ++now_;
        return passed + 1;
    }

    void cycle(const by_direction<std::uint64_t>& arrivals) {
        const bool launched = std::exchange(launch_, false);
        lanes_.prepare({launched, {}});
        lanes_.begin();
        const auto lanes = lanes_.view().lanes;
        // No lane fails here: one that leaves without a launch leaves because of a decision.
        if (!launched && (lanes.ab < serving_.ab || lanes.ba < serving_.ba)) ++result_.turns;
        serving_ = lanes;
        by_direction<std::uint64_t> phits;
        for (const auto d : both_directions) {
            queue_[d] += arrivals[d];
            phits[d] = std::min<std::uint64_t>(queue_[d], lanes[d]);
            queue_[d] -= phits[d];
            result_.served[d] += phits[d];
            result_.waited[d] += static_cast<double>(queue_[d]);
        }
        end_of_cycle(phits);
    }

    void end_of_cycle(const by_direction<std::uint64_t>& phits) {
        lanes_.issue(phits);
        const lane_view& v = lanes_.view();
        if (!v.window_end) return;
        result_.windows.push_back({{now_ + 1, v.busy, v.capacity, v.lanes, v.decision}, queue_});
        if (keep_going_ && !keep_going_()) result_.complete = false;
    }

    stepped_lanes_if& lanes_;
    const std::function<bool()>& keep_going_;
    std::uint64_t now_ = 0;
    bool launch_ = false;
    by_direction<unsigned> serving_;
    by_direction<std::uint64_t> queue_;
    link::replay_result result_;
};

}  // namespace

link::replay_result replay(const link::lane_spec& s, stepped_lanes_if& lanes, const std::vector<link::trace_row>& trace,
                           const std::function<bool()>& keep_going) {
    return player(lanes, keep_going).play(s, trace);
}

}  // namespace contraflow::cosim
