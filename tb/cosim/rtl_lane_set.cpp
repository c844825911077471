// SPDX-License-Identifier: Apache-2.0
#include "cosim/rtl_lane_set.h"

#include <algorithm>
#include <stdexcept>

namespace contraflow::cosim {

using link::both_directions;
using link::by_direction;
using link::direction;
using link::lane_decision;

namespace {

constexpr auto never = link::lane_state::never;

const link::lane_spec& checked(const link::lane_spec& s) {
    if (const auto problem = problem_of(s)) throw std::logic_error("lane RTL: " + problem->message);
    return s;
}

}  // namespace

rtl_lane_set::rtl_lane_set(const link::lane_spec& s, std::uint64_t ticks_a_cycle, const lane_core_factory& core)
    : spec_(checked(s)),
      ticks_(ticks_a_cycle),
      longest_turn_(2 * (s.sync_latency.count + s.drain.count + s.switch_time.count) + 100),
      absent_(2 * (rtl_lanes_for(s) - s.lanes_per_direction)),
      core_(core(rtl_lanes_for(s))),
      monitor_(s.sample_time.count, ticks_a_cycle),
      core_monitor_(monitor_),
      last_{{}, 0, {}, monitor_} {
    reset(0);
}

// --- the clock

inputs rtl_lane_set::nothing() const {
    inputs in;
    in.rst_n = true;
    in.fault = failing_;
    return in;
}

// Computes the outputs of the cycle that the core shows, without inputs.
void rtl_lane_set::settle() {
    if (settled_) return;
    core_->drive(nothing());
    settled_ = true;
}

// Clocks the edge after the cycle that the core shows, with the inputs driven in it.
void rtl_lane_set::edge() {
    core_->edge();
    settled_ = false;
    ++shown_;
    ++clocked_;
}

void rtl_lane_set::go_back() {
    core_->restore(last_.core);
    shown_ = last_.at - 1;
    settled_ = false;
}

// A window that nobody closed ends in the cycle that the core shows: it carried nothing.
void rtl_lane_set::end_window_unseen(inputs& in) {
    const outputs& o = core_->out();
    core_monitor_.served(shown_ + 1, {o.lanes_ab, o.lanes_ba});
    in.window_end = in.totals = true;
    in.busy_ab = core_monitor_.busy().ab;
    in.busy_ba = core_monitor_.busy().ba;
    in.capacity_ab = core_monitor_.capacity().ab;
    in.capacity_ba = core_monitor_.capacity().ba;
    core_monitor_.next_window();
}

// Clocks to that cycle; only windows end meanwhile.
void rtl_lane_set::clock_to(std::uint64_t cycle) {
    if (shown_ > cycle) {
        go_back();
        clock_given();
    }
    while (shown_ < cycle) {
        if (shown_ + 1 == core_monitor_.window_end()) {
            inputs in = nothing();
            end_window_unseen(in);
            core_->drive(in);
            edge();
            continue;
        }
        settle();
        const outputs& o = core_->out();
        const std::uint64_t next = o.idle ? std::min(cycle, core_monitor_.window_end() - 1) : shown_ + 1;
        core_monitor_.served(next, {o.lanes_ab, o.lanes_ba});
        if (o.idle)
            shown_ = next;
        else
            edge();
    }
}

// --- inputs

// The inputs of the edge that begins cycle t, for the caller to change and clock.
inputs& rtl_lane_set::give(std::uint64_t t) {
    if (last_.at == t) {
        go_back();
        return last_.given;
    }
    clock_to(t - 1);
    core_->save(last_.core);
    last_.at = t;
    last_.given = nothing();
    if (t == core_monitor_.window_end()) end_window_unseen(last_.given);
    last_.monitor = monitor_;
    return last_.given;
}

void rtl_lane_set::clock_given() {
    core_->drive(last_.given);
    edge();
    core_monitor_ = last_.monitor;
}

// --- the link's view

bool rtl_lane_set::shows_other_lanes() const {
    const outputs& o = core_->out();
    return o.a_serve != a_serve_ || o.b_serve != b_serve_ || o.turning != state_.turning ||
           o.failed - std::min<unsigned>(o.failed, absent_) != state_.failed;
}

void rtl_lane_set::show() {
    const outputs& o = core_->out();
    a_serve_ = o.a_serve;
    b_serve_ = o.b_serve;
    state_.lanes = {o.lanes_ab, o.lanes_ba};
    state_.turning = o.turning;
    state_.failed = o.failed - std::min<unsigned>(o.failed, absent_);
    if (shown_ != decided_at_) return;
    if (o.under_way) ++state_.turns;  // else the decision's lane has failed, and another one has left in its place
    decided_at_ = never;
}

// The core shows the cycle that the link has reached. If something is in progress, it is clocked on until lanes change.
// A change that takes longer than any turn is an error, which is detected at the next input.
void rtl_lane_set::look_ahead() {
    state_.next_change = never;
    if (shows_other_lanes()) {
        state_.next_change = shown_;
        return;
    }
    const std::uint64_t limit = shown_ + longest_turn_;
    while (shown_ < limit) {
        settle();
        if (shown_ == deciding_) decision_ = static_cast<lane_decision>(core_->out().decision);
        if (core_->out().idle) return;
        clock_to(shown_ + 1);
        if (!shows_other_lanes()) continue;
        state_.next_change = shown_;
        return;
    }
}

void rtl_lane_set::pass_quiet_windows(std::uint64_t t) {
    if (t < monitor_.window_end()) return;
    if (!monitor_.quiet()) throw std::logic_error("lanes: a busy window was not closed");
    state_.quiet_windows += monitor_.pass_quiet_windows(t);
    state_.window_end = monitor_.window_end();
    // Nothing is decided in such a window; still, the core's outputs count.
    if (state_.next_change <= t || shown_ >= t) return;
    clock_to(t);
    if (shows_other_lanes()) show();
    look_ahead();
}

void rtl_lane_set::advance(std::uint64_t t) {
    while (state_.next_change <= t) {
        const std::uint64_t c = state_.next_change;
        pass_quiet_windows(c);
        monitor_.served(c, state_.lanes);
        show();
        look_ahead();
    }
    pass_quiet_windows(t);
}

link::lane_window rtl_lane_set::close_window() {
    const std::uint64_t end = monitor_.window_end();
    advance(end - 1);
    monitor_.served(end, state_.lanes);
    const auto busy = monitor_.busy(), capacity = monitor_.capacity();
    inputs& in = give(end);
    in.window_end = in.totals = true;
    in.busy_ab = busy.ab;
    in.busy_ba = busy.ba;
    in.capacity_ab = capacity.ab;
    in.capacity_ba = capacity.ba;
    const auto lanes = state_.lanes;
    monitor_.next_window();
    state_.window_end = monitor_.window_end();
    last_.monitor = monitor_;
    clock_given();
    // Lanes that change sooner were turning, or are needed for a repair: then there is no decision.
    decision_ = lane_decision::none;
    deciding_ = end - 1 + decision_cycles;
    look_ahead();
    deciding_ = never;
    if (decision_ != lane_decision::none) decided_at_ = end + spec_.sync_latency.count;
    return {end, busy, capacity, lanes, decision_};
}

void rtl_lane_set::launch(std::uint64_t t) {
    pass_quiet_windows(t);
    inputs& in = give(t);
    in.launch = true;
    decided_at_ = never;
    monitor_.restart(t);
    state_.window_end = monitor_.window_end();
    last_.monitor = monitor_;
    clock_given();
    look_ahead();
}

// The lowest lane that serves the direction; else, of those that turn to it, the one that joins first, which is found
// by clocking on. 0 if there is none.
std::uint32_t rtl_lane_set::lane_of(direction d) {
    const std::uint32_t serving = d == direction::ab ? a_serve_ : b_serve_;
    const std::uint32_t others = d == direction::ab ? b_serve_ : a_serve_;
    if (serving != 0) return serving & (~serving + 1);
    for (const std::uint64_t limit = shown_ + longest_turn_; shown_ < limit;) {
        settle();
        if (core_->out().idle) return 0;
        clock_to(shown_ + 1);
        const std::uint32_t joined = (d == direction::ab ? core_->out().a_serve : core_->out().b_serve) & ~others;
        if (joined != 0) return joined & (~joined + 1);
    }
    return 0;
}

bool rtl_lane_set::fail_lane(direction d, std::uint64_t t) {
    advance(t);
    monitor_.served(t, state_.lanes);
    clock_to(t);
    const std::uint32_t lane = lane_of(d);
    if (lane == 0) {
        clock_to(t);
        look_ahead();
        return false;
    }
    inputs& in = give(t);
    failing_ |= lane;
    in.fault |= lane;
    last_.monitor = monitor_;
    clock_given();
    show();
    look_ahead();
    return true;
}

// Failed lanes are absent from the start. Which ones is not kept, because the link does not tell lanes apart.
void rtl_lane_set::reset(std::uint64_t t) {
    const unsigned all = 2 * spec_.lanes_per_direction - state_.failed;
    failing_ = start(*core_, spec_, {all - all / 2, all / 2});
    monitor_ = link::lane_monitor(core_->out().sample_time, ticks_);
    monitor_.restart(t);
    state_.window_end = monitor_.window_end();
    decided_at_ = never;
    core_->save(last_.core);
    last_.at = t;
    last_.given = nothing();
    last_.given.launch = true;
    last_.monitor = monitor_;
    shown_ = t - 1;
    clock_given();
    show();
    look_ahead();
}

}  // namespace contraflow::cosim
