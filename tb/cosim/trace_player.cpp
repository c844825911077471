// SPDX-License-Identifier: Apache-2.0
#include "cosim/trace_player.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace contraflow::cosim {

using link::both_directions;
using link::by_direction;

trace_player::trace_player(const link::lane_spec& s, stepped_lanes_if& lanes, const std::vector<link::trace_row>& trace)
    : lanes_(lanes),
      trace_(trace),
      serving_{s.lanes_per_direction, s.lanes_per_direction} {
    lanes_.start(0, serving_);
}

// The row that the next cycle belongs to; a launch comes with it.
void trace_player::find_row() {
    for (; row_ < trace_.size() && (trace_[row_].launch || row_passed_ == trace_[row_].cycles); ++row_) {
        launch_ = launch_ || trace_[row_].launch;
        row_passed_ = 0;
    }
}

bool trace_player::over() {
    find_row();
    return row_ == trace_.size() && queue_.ab + queue_.ba == 0;
}

void trace_player::prepare() {
    find_row();
    lanes_.prepare({launch_, {}});
}

void trace_player::begin() {
    lanes_.begin();
    ++next_;
    arriving_ = {};
    if (row_ < trace_.size()) {
        arriving_ = trace_[row_].arrivals;
        ++row_passed_;
    }
    // No lane fails here: one that leaves without a launch leaves because of a decision.
    const auto lanes = lanes_.view().lanes;
    const bool launched = std::exchange(launch_, false);
    if (!launched && (lanes.ab < serving_.ab || lanes.ba < serving_.ba)) ++result_.turns;
    serving_ = lanes;
}

void trace_player::issue() {
    by_direction<std::uint64_t> phits;
    for (const auto d : both_directions) {
        queue_[d] += arriving_[d];
        phits[d] = std::min<std::uint64_t>(queue_[d], serving_[d]);
        queue_[d] -= phits[d];
        result_.served[d] += phits[d];
        result_.waited[d] += static_cast<double>(queue_[d]);
    }
    lanes_.issue(phits);
    note_window();
}

void trace_player::note_window() {
    const lane_view& v = lanes_.view();
    if (v.window_end) result_.windows.push_back({{next_, v.busy, v.capacity, v.lanes, v.decision}, queue_});
}

void trace_player::pass(std::uint64_t until) {
    prepare();
    begin();
    issue();
    if (arriving_.ab + arriving_.ba + queue_.ab + queue_.ba > 0) return;
    std::uint64_t most = until - next_;
    if (row_ < trace_.size()) most = std::min(most, trace_[row_].cycles - row_passed_);
    const std::uint64_t passed = most > 0 ? lanes_.pass(most) : 0;
    if (passed == 0) return;
    next_ += passed;
    if (row_ < trace_.size()) row_passed_ += passed;
    lanes_.issue(by_direction<std::uint64_t>{});
    note_window();
}

void trace_player::seek(std::uint64_t until) {
    while (next_ < until) pass(until);
}

link::replay_result replay(const link::lane_spec& s, stepped_lanes_if& lanes, const std::vector<link::trace_row>& trace,
                           const std::function<bool()>& keep_going) {
    trace_player player(s, lanes, trace);
    bool complete = true;
    for (std::size_t windows = 0; complete && !player.over();) {
        player.pass(std::numeric_limits<std::uint64_t>::max());
        if (const auto now = player.result().windows.size(); now > windows) {
            windows = now;
            complete = !keep_going || keep_going();
        }
    }
    link::replay_result r = player.result();
    r.drained = player.next();
    r.complete = complete;
    return r;
}

}  // namespace contraflow::cosim
