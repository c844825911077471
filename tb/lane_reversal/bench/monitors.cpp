// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/bench/monitors.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace contraflow::lane_reversal {

void turn_monitor::reset() {
    for (lane& l : lanes_) l = {};
    ab_ = ba_ = away_ = 0;
    first_ = true;
    completed_.clear();
}

void turn_monitor::left(unsigned i, std::uint64_t t, const outputs& out, const settings& holding) {
    lane& l = lanes_[i];
    l.turn = {i, (ab_ >> i & 1) != 0, false, t, 0};
    l.with = holding;
    l.launched = false;
    const bool driven = ((out.a_drive | out.b_drive) >> i & 1) != 0;
    const bool serves = ((out.a_serve | out.b_serve) >> i & 1) != 0;  // no turnaround
    l.turnaround_since = driven && !serves ? t + 1 : t;
    away_ |= 1u << i;
}

// Runs in every cycle in which a lane serves no direction.
void turn_monitor::away(unsigned i, const moment& now, const outputs& out, lib::findings* f) {
    lane& l = lanes_[i];
    const std::uint64_t t = now.cycle;
    l.launched = l.launched || (now.launched && t > l.turn.left);
    const bool driven = ((out.a_drive | out.b_drive) >> i & 1) != 0;
    if (driven) {
        if (l.turnaround_since < t && f != nullptr)
            f->add("turn.turnaround_kept", fmt::format("lane {} is driven again before it serves", i));
        l.turnaround_since = t + 1;
    }
    const bool giver = ((l.turn.from_ab ? out.a_drive : out.b_drive) >> i & 1) != 0;
    if (!l.launched && f != nullptr && giver != (t < l.turn.left + l.with.drain))
        f->add("turn.drain", fmt::format("the driver of lane {} is {} {} cycles after it left, with a drain of {}", i,
                                         giver ? "on" : "off", t - l.turn.left, l.with.drain));
}

void turn_monitor::joined(unsigned i, std::uint64_t t, const outputs& out, lib::findings* f) {
    lane& l = lanes_[i];
    l.turn.joined = t;
    l.turn.to_ab = (out.a_serve >> i & 1) != 0;
    completed_.push_back(l.turn);
    away_ &= ~(1u << i);
    if (f == nullptr) return;
    const std::uint64_t turnaround = t - l.turnaround_since;
    const bool exact = !l.launched;
    if (turnaround < l.with.switch_time || (exact && turnaround != l.with.switch_time))
        f->add("turn.turnaround",
               fmt::format("lane {} had a turnaround of {} cycles, not {}", i, turnaround, l.with.switch_time));
    if (exact && t - l.turn.left != l.with.drain + l.with.switch_time)
        f->add("turn.length", fmt::format("lane {} was away for {} cycles, not {}", i, t - l.turn.left,
                                          l.with.drain + l.with.switch_time));
    if (exact && l.turn.to_ab == l.turn.from_ab)
        f->add("turn.direction", fmt::format("lane {} came back without a launch", i));
}

void turn_monitor::observe(const moment& now, const outputs& out, const settings& holding, lib::findings* f) {
    const std::uint64_t t = now.cycle;
    if (f != nullptr) {
        if ((out.a_serve & out.b_serve) != 0) f->add("turn.one_direction", "a lane serves both directions");
        if ((out.a_drive & out.b_drive) != 0) f->add("turn.one_driver", "both ends drive a lane");
        if ((out.a_serve & ~out.a_drive) != 0 || (out.b_serve & ~out.b_drive) != 0)
            f->add("turn.served_undriven", "a lane serves without its driver");
        if (((out.a_drive | out.b_drive) & now.failed) != 0) f->add("turn.failed_driven", "a failed lane is driven");
    }
    if (!first_ && out.a_serve == ab_ && out.b_serve == ba_ && away_ == 0) return;
    if (first_) {
        ab_ = out.a_serve;
        ba_ = out.b_serve;
        first_ = false;
        return;
    }
    away_ &= ~now.failed;
    for (unsigned i = 0; i < lanes_.size(); ++i) {
        if ((now.failed >> i & 1) != 0) continue;
        const bool served = ((ab_ | ba_) >> i & 1) != 0;
        const bool serves = ((out.a_serve | out.b_serve) >> i & 1) != 0;
        const bool same = (ab_ >> i & 1) == (out.a_serve >> i & 1);
        if (served && !(serves && same)) left(i, t, out, holding);
        if ((away_ >> i & 1) != 0 && !serves) away(i, now, out, f);
        if ((away_ >> i & 1) != 0 && serves) joined(i, t, out, f);
    }
    ab_ = out.a_serve;
    ba_ = out.b_serve;
}

// The rule of a window's end, from the counts of this monitor.
std::optional<unsigned> window_monitor::decision(const outputs& out, const settings& holding, bool settled) const {
    const auto saturated = [&](std::uint64_t busy, std::uint64_t capacity) {
        return capacity > 0 && busy * 100 >= capacity * holding.threshold;
    };
    const auto may_give = [&](std::uint64_t busy, std::uint64_t capacity, unsigned lanes) {
        return !holding.guarded || busy * 100 * lanes < capacity * holding.threshold * (lanes - 1);
    };
    const auto lanes = [](std::uint32_t serve) { return static_cast<unsigned>(std::popcount(serve)); };
    const unsigned ab = lanes(out.a_serve), ba = lanes(out.b_serve);
    // Not told by the pins: whether a direction below its minimum can be repaired, and whether the decision that is
    // shown in this cycle has been dropped.
    if (ab < holding.min_lanes || ba < holding.min_lanes || out.decision != 0) return std::nullopt;
    const bool full_ab = saturated(now_.busy_ab, now_.capacity_ab), full_ba = saturated(now_.busy_ba, now_.capacity_ba);
    if (!holding.enable || !settled || out.turning != 0 || out.pending != 0) return 0;
    if (full_ab && !full_ba && ba > holding.min_lanes && may_give(now_.busy_ba, now_.capacity_ba, ba)) return 1;
    if (full_ba && !full_ab && ab > holding.min_lanes && may_give(now_.busy_ab, now_.capacity_ab, ab)) return 2;
    return 0;
}

// What this cycle shows of cycles before it.
void window_monitor::look_back(const outputs& out, lib::findings* f) {
    const window_transaction& then = before_.back();
    if (f != nullptr) {
        if (out.busy_ab != then.busy_ab || out.busy_ba != then.busy_ba)
            f->add("window.busy", fmt::format("{} and {}, of {} and {} phits put on lanes", out.busy_ab, out.busy_ba,
                                              then.busy_ab, then.busy_ba));
        if (out.capacity_ab != then.capacity_ab || out.capacity_ba != then.capacity_ba)
            f->add("window.capacity", fmt::format("{} and {}, of {} and {} lane-cycles", out.capacity_ab,
                                                  out.capacity_ba, then.capacity_ab, then.capacity_ba));
        if (out.totals != (since_ == monitor_cycles))
            f->add("window.totals", fmt::format("{} cycles after a window's end", since_));
        if (out.decision != 0 && since_ != decision_cycles)
            f->add("window.decision", fmt::format("a decision {} cycles after a window's end", since_));
        if (since_ == decision_cycles && should_ && out.decision != *should_)
            f->add("window.decision_rule", fmt::format("{}, by the rule {}", out.decision, *should_));
    }
    if (since_ == monitor_cycles) {
        ended_.busy_ab = out.busy_ab;
        ended_.busy_ba = out.busy_ba;
        ended_.capacity_ab = out.capacity_ab;
        ended_.capacity_ba = out.capacity_ba;
    }
    if (since_ == decision_cycles) {
        ended_.decision = out.decision;
        completed_.push_back(ended_);
        since_ = 0;
    } else if (since_ != 0) {
        ++since_;
    }
}

void window_monitor::observe(std::uint64_t t, const inputs& in, const outputs& out, const settings& holding,
                             bool settled, lib::findings* f) {
    look_back(out, f);
    if (!in.rst_n) return reset();
    window_transaction counted;
    if (out.running) {
        ++length_;
        counted = now_;
    }
    counted.busy_ab += static_cast<unsigned>(std::popcount(in.a_valid & out.a_serve));
    counted.busy_ba += static_cast<unsigned>(std::popcount(in.b_valid & out.b_serve));
    counted.capacity_ab += static_cast<unsigned>(std::popcount(out.a_serve));
    counted.capacity_ba += static_cast<unsigned>(std::popcount(out.b_serve));
    std::copy_backward(before_.begin(), before_.end() - 1, before_.end());
    before_.front() = counted;
    if (!out.running) return;
    now_ = counted;
    if (f != nullptr && out.window_end != (length_ == holding.sample_time))
        f->add("window.length", fmt::format("cycle {} of a window of {}{}", length_, holding.sample_time,
                                            out.window_end ? " ends it" : " does not end it"));
    if (out.window_end) {
        ended_ = now_;
        ended_.end = t;
        should_ = decision(out, holding, settled);
        since_ = 1;
    }
    if (out.window_end || in.launch) {
        now_ = {};
        length_ = 0;
    }
}

}  // namespace contraflow::lane_reversal
