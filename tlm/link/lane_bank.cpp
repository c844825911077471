// SPDX-License-Identifier: Apache-2.0
#include "link/lane_bank.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace contraflow::link {

lane_bank::lane_bank(const lane_spec& s, lane_controller_if& controller)
    : lanes_per_direction_(s.lanes_per_direction),
      min_lanes_(s.min_lanes),
      window_length_(s.sample_time.count),
      silence_(s.drain.count + s.switch_time.count),
      exchange_(s.exchange.count),
      controller_(controller) {
    if (const auto problem = problem_of(s); !problem.empty()) throw std::logic_error("lanes: " + problem);
    turning_.reserve(2 * s.lanes_per_direction);
    reset(0);
}

void lane_bank::account(std::uint64_t t) {
    for (const auto d : both_directions) capacity_[d] += lanes_[d] * (t - accounted_);
    accounted_ = t;
}

void lane_bank::clear_window(std::uint64_t start) {
    window_start_ = accounted_ = start;
    busy_ = capacity_ = {};
}

void lane_bank::skip_quiet_windows(std::uint64_t t) {
    if (t < window_end()) return;
    if (busy_.ab + busy_.ba > 0) throw std::logic_error("lanes: a busy window was not closed");
    const std::uint64_t windows = (t - window_start_) / window_length_;
    clear_window(window_start_ + windows * window_length_);
    quiet_ += windows;
    controller_.quiet_windows(windows);
}

void lane_bank::find_next_change() {
    next_change_ = std::min(pending_at_, mend_at_);
    for (const turn& l : turning_) next_change_ = std::min(next_change_, l.join);
}

void lane_bank::leave(direction from, std::uint64_t join) {
    --lanes_[from];
    turning_.push_back({join, opposite(from)});
}

void lane_bank::start_pending_turn() {
    // A lane may have failed since the decision.
    if (may_turn(*pending_)) {
        leave(opposite(*pending_), pending_at_ + silence_);
        ++turns_;
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
    leave(opposite(*too_few_), t + silence_);
}

void lane_bank::find_too_few(std::uint64_t t) {
    too_few_.reset();
    const by_direction<unsigned> all = have();
    for (const auto d : both_directions)
        if (all[d] < min_lanes_ && may_turn(d)) too_few_ = d;
    mend_at_ = too_few_ ? t + 1 : never;
}

void lane_bank::advance(std::uint64_t t) {
    while (next_change_ <= t) {
        const std::uint64_t c = next_change_;
        skip_quiet_windows(c);
        account(c);
        if (mend_at_ == c) mend(c);
        if (pending_at_ == c) start_pending_turn();
        std::erase_if(turning_, [&](const turn& l) {
            if (l.join > c) return false;
            ++lanes_[l.to];
            return true;
        });
        find_too_few(c);
        find_next_change();
    }
    skip_quiet_windows(t);
}

lane_window lane_bank::close_window() {
    const std::uint64_t end = window_end();
    advance(end - 1);
    account(end);
    const window_sample sample{busy_, capacity_, lanes_, !turning_.empty() || pending_ || too_few_};
    lane_decision decision = controller_.window_ended(sample);
    if (decision != lane_decision::none && (sample.turning || !may_turn(receiver(decision)))) {
        ++refused_;
        decision = lane_decision::none;
    }
    if (decision != lane_decision::none) {
        pending_ = receiver(decision);
        pending_at_ = end + exchange_;
        find_next_change();
    }
    const lane_window closed{end, busy_, capacity_, lanes_, decision};
    clear_window(end);
    return closed;
}

by_direction<unsigned> lane_bank::have() const {
    by_direction<unsigned> all = lanes_;
    for (const turn& l : turning_) ++all[l.to];
    return all;
}

// What is left when lanes have failed is shared evenly; an odd one stays where more are.
by_direction<unsigned> lane_bank::symmetric(const by_direction<unsigned>& have) {
    const unsigned half = (have.ab + have.ba) / 2;
    const unsigned odd = (have.ab + have.ba) % 2;
    return have.ab > have.ba ? by_direction<unsigned>{half + odd, half} : by_direction<unsigned>{half, half + odd};
}

// Which of several turning lanes keep their time need not be found out: while none has failed, those that an earlier
// launch turned are just those that lack, and a lane that a decision turned is alone. So only the latter goes back.
// Once lanes have failed, one too many may come; the next launch sees to it.
void lane_bank::launch(std::uint64_t t) {
    skip_quiet_windows(t);
    clear_window(t);
    drop_pending();
    const by_direction<unsigned> all = have();
    const by_direction<unsigned> wanted = symmetric(all);
    if (std::exchange(decided_, false) && !turning_.empty())
        if (turn& l = turning_.front(); all[l.to] > wanted[l.to]) l = {t + silence_, opposite(l.to)};
    for (const auto d : both_directions)
        while (lanes_[d] > wanted[d]) leave(d, t + silence_);
    find_too_few(t);
    find_next_change();
    controller_.kernel_launched();
}

bool lane_bank::fail_lane(direction d, std::uint64_t t) {
    advance(t);
    account(t);
    if (lanes_[d] > 0) {
        --lanes_[d];
    } else {
        const auto it = std::find_if(turning_.begin(), turning_.end(), [d](const turn& l) { return l.to == d; });
        if (it == turning_.end()) return false;
        turning_.erase(it);
    }
    ++failed_;
    find_too_few(t);
    find_next_change();
    return true;
}

void lane_bank::reset(std::uint64_t t) {
    const unsigned all = 2 * lanes_per_direction_ - failed_;
    lanes_ = {all - all / 2, all / 2};
    turning_.clear();
    decided_ = false;
    drop_pending();
    too_few_.reset();
    mend_at_ = next_change_ = never;
    clear_window(t);
    controller_.kernel_launched();
}

}  // namespace contraflow::link
