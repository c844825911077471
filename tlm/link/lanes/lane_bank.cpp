// SPDX-License-Identifier: Apache-2.0
#include "link/lanes/lane_bank.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace contraflow::link {
namespace {

constexpr auto never = lane_state::never;

}  // namespace

lane_bank::lane_bank(const lane_spec& s, lane_policy_if& policy, std::uint64_t ticks_a_cycle)
    : lanes_per_direction_(s.lanes_per_direction),
      min_lanes_(s.min_lanes),
      turnaround_(s.drain.count + s.switch_time.count),
      sync_latency_(s.sync_latency.count),
      policy_(policy),
      monitor_(s.sample_time.count, ticks_a_cycle) {
    start(s);
}

lane_bank::lane_bank(const lane_spec& s, std::unique_ptr<lane_policy_if> policy, std::uint64_t ticks_a_cycle)
    : lanes_per_direction_(s.lanes_per_direction),
      min_lanes_(s.min_lanes),
      turnaround_(s.drain.count + s.switch_time.count),
      sync_latency_(s.sync_latency.count),
      owned_(std::move(policy)),
      policy_(*owned_),
      monitor_(s.sample_time.count, ticks_a_cycle) {
    start(s);
}

void lane_bank::start(const lane_spec& s) {
    if (const auto found = problems_of(s); !found.empty())
        throw std::logic_error("lanes: " + config::first_text(found));
    turning_.reserve(2 * s.lanes_per_direction);
    reset(0);
}

by_direction<std::uint64_t> lane_bank::capacity_before(std::uint64_t t) const {
    lane_monitor m = monitor_;
    m.served(t, state_.lanes);
    return m.capacity();
}

void lane_bank::pass_quiet_windows(std::uint64_t t) {
    if (t < monitor_.window_end()) return;
    if (!monitor_.quiet()) throw std::logic_error("lanes: a busy window was not closed");
    const std::uint64_t windows = monitor_.pass_quiet_windows(t);
    state_.quiet_windows += windows;
    state_.window_end = monitor_.window_end();
    policy_.quiet_windows(windows);
}

void lane_bank::restart_window(std::uint64_t t) {
    monitor_.restart(t);
    state_.window_end = monitor_.window_end();
}

void lane_bank::find_next_change() {
    state_.turning = static_cast<unsigned>(turning_.size());
    state_.next_change = std::min(pending_at_, mend_at_);
    for (const turn& l : turning_) state_.next_change = std::min(state_.next_change, l.join);
}

void lane_bank::leave(direction from, std::uint64_t join) {
    --state_.lanes[from];
    turning_.push_back({join, opposite(from)});
}

void lane_bank::start_pending_turn() {
    // A lane may have failed since the decision.
    if (may_turn(*pending_)) {
        leave(opposite(*pending_), pending_at_ + turnaround_);
        ++state_.turns;
        decided_ = true;
    }
    drop_pending();
}

void lane_bank::drop_pending() {
    pending_.reset();
    pending_at_ = never;
}

void lane_bank::mend(std::uint64_t t) {
    drop_pending();
    decided_ = false;
    leave(opposite(*too_few_), t + turnaround_);
}

void lane_bank::find_too_few(std::uint64_t t) {
    too_few_.reset();
    const by_direction<unsigned> all = have();
    for (const auto d : both_directions)
        if (all[d] < min_lanes_ && may_turn(d)) too_few_ = d;
    mend_at_ = too_few_ ? t + 1 : never;
}

void lane_bank::advance(std::uint64_t t) {
    while (state_.next_change <= t) {
        const std::uint64_t c = state_.next_change;
        pass_quiet_windows(c);
        monitor_.served(c, state_.lanes);
        if (mend_at_ == c) mend(c);
        if (pending_at_ == c) start_pending_turn();
        std::erase_if(turning_, [&](const turn& l) {
            if (l.join > c) return false;
            ++state_.lanes[l.to];
            return true;
        });
        find_too_few(c);
        find_next_change();
    }
    pass_quiet_windows(t);
}

lane_window lane_bank::close_window() {
    const std::uint64_t end = monitor_.window_end();
    advance(end - 1);
    monitor_.served(end, state_.lanes);
    const window_sample sample{monitor_.busy(), monitor_.capacity(), state_.lanes,
                               !turning_.empty() || pending_ || too_few_, end};
    lane_decision decision = policy_.window_ended(sample);
    if (decision != lane_decision::none && (sample.turning || !may_turn(receiver(decision)))) {
        ++state_.refused;
        decision = lane_decision::none;
    }
    if (decision != lane_decision::none) {
        pending_ = receiver(decision);
        pending_at_ = end + sync_latency_;
        find_next_change();
    }
    const lane_window closed{end, sample.busy, sample.capacity, sample.lanes, decision};
    monitor_.next_window();
    state_.window_end = monitor_.window_end();
    return closed;
}

by_direction<unsigned> lane_bank::have() const {
    by_direction<unsigned> all = state_.lanes;
    for (const turn& l : turning_) ++all[l.to];
    return all;
}

// Lanes that still work are divided evenly; an odd one stays with the direction that has more.
by_direction<unsigned> lane_bank::symmetric(const by_direction<unsigned>& have) {
    const unsigned half = (have.ab + have.ba) / 2;
    const unsigned odd = (have.ab + have.ba) % 2;
    return have.ab > have.ba ? by_direction<unsigned>{half + odd, half} : by_direction<unsigned>{half, half + odd};
}

// No choice among several turning lanes is needed: while no lane has failed, all lanes that an earlier launch turned
// are needed, and a lane that a decision turned is alone. So only the latter turns back. After failures one lane too
// many may arrive; the next launch corrects it.
void lane_bank::launch(std::uint64_t t) {
    pass_quiet_windows(t);
    restart_window(t);
    drop_pending();
    const by_direction<unsigned> all = have();
    const by_direction<unsigned> wanted = symmetric(all);
    if (std::exchange(decided_, false) && !turning_.empty())
        if (turn& l = turning_.front(); all[l.to] > wanted[l.to]) l = {t + turnaround_, opposite(l.to)};
    for (const auto d : both_directions)
        while (state_.lanes[d] > wanted[d]) leave(d, t + turnaround_);
    find_too_few(t);
    find_next_change();
    policy_.kernel_launched(t);
}

bool lane_bank::fail_lane(direction d, std::uint64_t t) {
    advance(t);
    monitor_.served(t, state_.lanes);
    if (state_.lanes[d] > 0) {
        --state_.lanes[d];
    } else {
        const auto it = std::find_if(turning_.begin(), turning_.end(), [d](const turn& l) { return l.to == d; });
        if (it == turning_.end()) return false;
        turning_.erase(it);
    }
    ++state_.failed;
    find_too_few(t);
    find_next_change();
    return true;
}

void lane_bank::reset(std::uint64_t t) {
    const unsigned all = 2 * lanes_per_direction_ - state_.failed;
    state_.lanes = {all - all / 2, all / 2};
    turning_.clear();
    decided_ = false;
    drop_pending();
    too_few_.reset();
    mend_at_ = never;
    find_next_change();
    restart_window(t);
    policy_.kernel_launched(t);
}

}  // namespace contraflow::link
