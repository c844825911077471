// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/model/reference.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "link/lanes/policies.h"

namespace contraflow::lane_reversal {

using link::by_direction;
using link::direction;
using link::lane_decision;

namespace {

unsigned count(std::uint32_t lanes) { return static_cast<unsigned>(std::popcount(lanes)); }

link::lane_spec spec_of(const block_parameters& p, const settings& s) {
    link::lane_spec spec;
    spec.lanes_per_direction = p.lanes_per_direction;
    spec.min_lanes = s.min_lanes;
    spec.sample_time = core::cycles{s.sample_time};
    spec.switch_time = core::cycles{s.switch_time};
    spec.drain = core::cycles{s.drain};
    spec.sync_latency = core::cycles{s.sync_latency};
    spec.saturation = s.threshold;
    spec.policy = !s.enable ? "static" : s.guarded ? "guarded" : "published";
    return spec;
}

}  // namespace

reference::reference(const block_parameters& p) : parameters_(p), registers_(p), lanes_(p.lanes_per_direction) {}

void reference::reset() {
    registers_.reset();
    lanes_.reset();
    bank_.reset();
    running_ = false;
    cycle_of_window_ = 0;
    totals_ = {};
    shown_ = {};
    ended_ = ending_ = {};
    pending_.reset();
    under_way_ = false;
    waits_ = 0;
    bounded_ = true;
}

register_model::live reference::live() const {
    return {{lanes_.lanes(direction::ab), lanes_.lanes(direction::ba)},
            count(lanes_.turning()),
            count(lanes_.failed()),
            out_.pending,
            running_,
            under_way_,
            {lanes_.serving(direction::ab), lanes_.serving(direction::ba)},
            lanes_.failed()};
}

// The published rule and the guarded rule, from docs/lane_replay.md.
lane_decision reference::wish() const {
    const settings& s = registers_.holding();
    const auto &busy = now_totals_.busy, &capacity = now_totals_.capacity;
    const auto saturated = [&](direction d) { return capacity[d] > 0 && 100 * busy[d] >= s.threshold * capacity[d]; };
    for (const auto d : link::both_directions) {
        const direction giver = opposite(d);
        const std::uint64_t lanes = lanes_.lanes(giver);
        const bool guarded = s.guarded && 100 * busy[giver] * lanes >= s.threshold * capacity[giver] * (lanes - 1);
        if (s.enable && saturated(d) && !saturated(giver) && spare_[giver] && !guarded) return towards(d);
    }
    return lane_decision::none;
}

// The rules of a window's end. They do not apply while a lane turns, a decision is on its way, or a direction needs
// repair. A setting that waits holds off the decision, and takes effect.
void reference::decide() {
    const auto fewest = registers_.holding().min_lanes;
    for (const auto d : link::both_directions) spare_[d] = lanes_.lanes(d) > fewest;
    for (const auto d : link::both_directions)
        repair_to_[d] = running_ && lanes_.lanes(d) + lanes_.coming(d) < fewest && spare_[opposite(d)];
    repair_ = repair_to_.ab || repair_to_.ba;
    decision_ = ended_.left == 1 && ended_.may ? ended_.wish : lane_decision::none;
    decided_ = decision_ != lane_decision::none && !ended_.dropped;
    ending_ = {};
    held_off_ = false;
    const bool turning = lanes_.turning() != 0;
    const bool calm_end = out_.window_end && !turning && !repair_ && !pending_ && !decided_;
    if (out_.window_end) {
        ending_ = {decision_cycles, wish(), calm_end && registers_.settled(), in_.launch || repair_, {}};
        held_off_ = calm_end && !registers_.settled() && ending_.wish != lane_decision::none;
    }
    apply_ = !running_ || (in_.launch && !turning) || calm_end;
    drop_or_hold();
}

// The lane that leaves in the next cycle because of a decision.
void reference::drop_or_hold() {
    go_ = {};
    if (in_.launch || repair_) return;
    std::optional<direction> holds;
    if (pending_ && pending_left_ == 1) holds = *pending_;
    if (decided_ && registers_.holding().sync_latency == decision_cycles) holds = receiver(decision_);
    if (holds && spare_[opposite(*holds)]) go_[*holds] = true;
}

void reference::show(const inputs& in) {
    out_.a_serve = lanes_.serving(direction::ab);
    out_.b_serve = lanes_.serving(direction::ba);
    out_.a_drive = lanes_.driving(direction::ab);
    out_.b_drive = lanes_.driving(direction::ba);
    out_.running = running_;
    out_.lanes_ab = static_cast<std::uint8_t>(count(out_.a_serve));
    out_.lanes_ba = static_cast<std::uint8_t>(count(out_.b_serve));
    out_.turning = static_cast<std::uint8_t>(count(lanes_.turning()));
    out_.failed = static_cast<std::uint8_t>(count(lanes_.failed()));
    out_.window_end = running_ && cycle_of_window_ + 1 == registers_.holding().sample_time;
    out_.pending = static_cast<std::uint8_t>(!pending_ ? lane_decision::none : towards(*pending_));
    out_.under_way = under_way_;
    now_totals_ = {
        {totals_.busy.ab + count(in.a_valid & out_.a_serve), totals_.busy.ba + count(in.b_valid & out_.b_serve)},
        {totals_.capacity.ab + out_.lanes_ab, totals_.capacity.ba + out_.lanes_ba},
        out_.window_end};
    out_.totals = shown_.back().whole;
    out_.busy_ab = shown_.back().busy.ab;
    out_.busy_ba = shown_.back().busy.ba;
    out_.capacity_ab = shown_.back().capacity.ab;
    out_.capacity_ba = shown_.back().capacity.ba;
    out_.irq = registers_.irq();
    out_.pready = true;
    out_.prdata = 0;
    out_.pslverr = false;
    if (in.psel && in.penable) {
        if (in.pwrite) {
            out_.pslverr = registers_.refuses(in.paddr, in.pwdata);
        } else {
            const auto a = registers_.read(in.paddr, live());
            out_.prdata = a.data;
            out_.pslverr = a.error;
        }
    }
}

void reference::drive(const inputs& in) {
    in_ = in;
    if (!in.rst_n) reset();
    show(in);
    decide();
    out_.decision = static_cast<std::uint8_t>(decision_);
    out_.idle = running_ && !in.launch && !out_.window_end && !in.psel && (in.fault & ~lanes_.failed()) == 0 &&
                lanes_.turning() == 0 && !repair_ && !under_way_ && !pending_ && !deciding();
    // The model has no settings that wait: it would decide.
    if (held_off_) bank_.reset();
    if (bank_) compare_with_model();
}

void reference::edge() {
    ++now_;
    if (!in_.rst_n) {
        show({});
        return;
    }
    const std::uint32_t fail = running_ || in_.launch ? in_.fault & ~lanes_.failed() : 0;
    const bool write = in_.psel && in_.penable && in_.pwrite;
    const settings before = registers_.holding();
    const auto sync_latency = before.sync_latency;
    registers_.clock({go_.ab || go_.ba,
                      running_ ? count(fail) : 0,
                      out_.totals,
                      {out_.busy_ab, out_.busy_ba},
                      {out_.capacity_ab, out_.capacity_ba},
                      apply_},
                     write, in_.paddr, in_.pwdata);
    bound_wait(!in_.launch && !repair_ && fail == 0);
    const bool first = in_.launch && !running_;
    const bool nothing_turned = lanes_.turning() == 0;
    lanes_.begin_cycle(now_,
                       {in_.launch, under_way_, go_.ab || (repair_to_.ab && !in_.launch),
                        go_.ba || (repair_to_.ba && !in_.launch), fail},
                       registers_.holding());
    if (in_.launch || repair_) {
        pending_.reset();
        under_way_ = false;
    } else if (go_.ab || go_.ba) {
        pending_.reset();
        under_way_ = true;
    } else if (pending_) {
        if (--pending_left_ == 0) pending_.reset();
    } else if (decided_ && sync_latency > decision_cycles) {
        pending_ = receiver(decision_);
        pending_left_ = sync_latency - decision_cycles;
        under_way_ = false;
    } else if (nothing_turned) {
        under_way_ = false;
    }
    if (out_.window_end) {
        ended_ = ending_;
    } else if (ended_.left > 0) {
        --ended_.left;
        ended_.dropped = ended_.dropped || in_.launch || repair_;
    }
    running_ = running_ || in_.launch;
    std::copy_backward(shown_.begin(), shown_.end() - 1, shown_.end());
    shown_.front() = now_totals_;
    if (in_.launch || out_.window_end || !running_) {
        cycle_of_window_ = 0;
        totals_ = {};
    } else {
        ++cycle_of_window_;
        totals_ = now_totals_;
    }
    follow(before, first, fail);
    show({});
}

// The longest wait of docs/lane_reversal.md. A launch, a repair or a fault may add a turn.
void reference::bound_wait(bool turns_are_decided) {
    if (apply_ || registers_.settled()) {  // what is written in the same cycle waits for the next time
        waits_ = 0;
        bounded_ = true;
    }
    if (registers_.settled()) return;
    bounded_ = bounded_ && turns_are_decided;
    const settings& s = registers_.holding();
    const std::uint64_t longest = std::uint64_t{s.sync_latency} + s.drain + s.switch_time + s.sample_time;
    if (++waits_ > longest && bounded_ && disagreement_.empty())
        disagreement_ = fmt::format("SETTLED is 0 for {} cycles, {} at most by the descriptions", waits_, longest);
}

// The inputs of the model. It does not support changes of settings, nor physical lanes: it can follow only failures of
// lanes that served in the previous cycle and in this one.
void reference::follow(const settings& before, bool first, std::uint32_t fail) {
    if (first && fail == 0) {
        const link::lane_spec spec = spec_of(parameters_, registers_.holding());
        bank_.emplace(spec, link::make_lane_policy(spec));
        bank_begins_ = now_;
        return;
    }
    if (!bank_) return;
    const std::uint32_t served = out_.a_serve | out_.b_serve;
    const std::uint32_t serves = lanes_.serving(direction::ab) | lanes_.serving(direction::ba) | fail;
    const bool chosen = fail != 0 && (go_.ab || go_.ba || repair_ || in_.launch);
    if (!(before == registers_.holding()) || chosen || (fail & ~(served & serves)) != 0) {
        bank_.reset();
        return;
    }
    const std::uint64_t t = now_ - bank_begins_;
    if (in_.launch) bank_->launch(t);
    for (std::uint32_t left = fail; left != 0; left &= left - 1)
        bank_->fail_lane((out_.a_serve & left & -left) != 0 ? direction::ab : direction::ba, t);
}

void reference::compare_with_model() {
    const std::uint64_t t = now_ - bank_begins_;
    bank_->advance(t);
    const auto differs = [&](const char* what, std::uint64_t here, std::uint64_t there) {
        if (here != there && disagreement_.empty())
            disagreement_ = fmt::format("{} is {} by the descriptions, {} by the model", what, here, there);
    };
    const link::lane_state& model = bank_->state();
    differs("lanes_ab", out_.lanes_ab, model.lanes.ab);
    differs("lanes_ba", out_.lanes_ba, model.lanes.ba);
    differs("turning", out_.turning, model.turning);
    differs("failed", out_.failed, model.failed);
    differs("window_end", out_.window_end, t + 1 == model.window_end);
    const unsigned on_a = count(in_.a_valid & out_.a_serve), on_b = count(in_.b_valid & out_.b_serve);
    bank_->carried(direction::ab, {t, t + 1, on_a, on_a});
    bank_->carried(direction::ba, {t, t + 1, on_b, on_b});
    if (ended_.left == 1 && ended_.of_model)
        differs("decision", out_.decision, static_cast<std::uint64_t>(*ended_.of_model));
    if (t + 1 != model.window_end) return;
    const link::lane_window w = bank_->close_window();
    differs("busy_ab", now_totals_.busy.ab, w.busy.ab);
    differs("busy_ba", now_totals_.busy.ba, w.busy.ba);
    differs("capacity_ab", now_totals_.capacity.ab, w.capacity.ab);
    differs("capacity_ba", now_totals_.capacity.ba, w.capacity.ba);
    ending_.of_model = w.decision;
}

}  // namespace contraflow::lane_reversal
