// SPDX-License-Identifier: Apache-2.0
#include "cosim/lane_lockstep.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cosim/level_difference.h"
#include "link/lanes/policies.h"

namespace contraflow::cosim {

using link::both_directions;
using link::direction;
using link::lane_decision;
namespace regs = link::lane_reversal_registers;

namespace {

const char* decision(std::uint8_t code) { return name(static_cast<lane_decision>(code)); }

std::string state_of(const outputs& v) {
    return fmt::format(
        "lanes {} + {}, {} turning, {} failed, decision on its way {}; {}decision {}, busy {} and {} of {} and {}",
        v.lanes_ab, v.lanes_ba, v.turning, v.failed, decision(v.pending), v.window_end ? "window ends, " : "",
        decision(v.decision), v.busy_ab, v.busy_ba, v.capacity_ab, v.capacity_ba);
}

// Read after each window, the last one first.
constexpr std::array counters{&regs::faults, &regs::windows, &regs::turns};
constexpr std::uint64_t most_counted = (std::uint64_t{1} << regs::turns_count.width) - 1;

// An inconsistency between the RTL's ends alone, or null.
const char* wrong_ends(const outputs& v) {
    if ((v.a_serve & v.b_serve) != 0) return "both ends may issue on a lane";
    if ((v.a_drive & v.b_drive) != 0) return "both ends drive a lane";
    if ((v.a_serve & ~v.a_drive) != 0 || (v.b_serve & ~v.b_drive) != 0)
        return "an end serves a lane that it does not drive";
    if (std::popcount(v.a_serve) != v.lanes_ab || std::popcount(v.b_serve) != v.lanes_ba)
        return "the lanes that serve are not as many as are counted";
    if (std::popcount(v.a_drive | v.b_drive) > v.lanes_ab + v.lanes_ba + v.turning)
        return "a lane is driven that neither serves nor turns";
    return nullptr;
}

// The lowest `count` ones.
std::uint32_t first_of(std::uint32_t mask, std::uint64_t count) {
    std::uint32_t all = 0;
    for (; count > 0 && mask != 0; --count) {
        all |= mask & (~mask + 1);
        mask &= mask - 1;
    }
    return all;
}

}  // namespace

lane_lockstep::lane_lockstep(std::string name, const link::lane_spec& rtl, const link::lane_spec& model,
                             wave::wave_file* waves)
    : name_(std::move(name)),
      rtl_spec_(rtl),
      model_spec_(model),
      rtl_(make_lane_block(rtl_lanes_for(rtl), waves == nullptr ? name_ : "rtl " + name_, waves)),
      absent_(2 * (rtl_lanes_for(rtl) - rtl.lanes_per_direction)) {
    start(0);
}

void lane_lockstep::start(std::uint64_t at, unsigned failed) {
    const auto left = [failed](const link::lane_spec& s) {
        const unsigned all = 2 * s.lanes_per_direction - failed;
        return link::by_direction<unsigned>{all - all / 2, all / 2};
    };
    in_ = {};
    in_.fault = cosim::start(*rtl_, rtl_spec_, left(rtl_spec_));
    write_register(*rtl_, regs::irq_enable.offset, regs::irq_enable_turn.mask() | regs::irq_enable_fault.mask());
    in_.rst_n = in_.launch = true;
    bank_.emplace(model_spec_, link::make_lane_policy(model_spec_));
    bank_->advance(at);
    for (const auto d : both_directions)
        for (unsigned n = left(model_spec_)[d]; n < model_spec_.lanes_per_direction; ++n) bank_->fail_lane(d, at);
    bank_->reset(at);
    windows_ = faults_ = 0;
    // Before the launch the block shows the lanes of each cycle.
    const std::uint64_t each = rtl_lanes_for(rtl_spec_);
    past_.fill({{}, {each, each}, false});
    window_ = {};
    deciding_ = 0;
    reads_ = 0;
    differs_ = false;
    edge_ = {};
    next_ = at;
}

void lane_lockstep::prepare(const lane_edge& e) {
    edge_ = e;
    in_.launch = in_.launch || e.launch;
    in_.fault |= e.failing;
    rtl_->drive(in_);
}

// The model takes the steps in the order of a link. At a start, the bank does its own launch.
void lane_lockstep::begin() {
    const bool access_ended = access_ends();
    rtl_->edge();
    next_bus_cycle(access_ended);
    in_.launch = false;
    in_.a_valid = in_.b_valid = 0;
    const lane_edge e = std::exchange(edge_, {});
    const std::uint64_t t = next_++;
    if (deciding_ > 0) --deciding_;
    if (e.launch) bank_->launch(t);
    bank_->advance(t);
    for (const auto d : both_directions)
        for (unsigned n = e.faults[d]; n > 0; --n) faults_ += bank_->fail_lane(d, t) ? 1 : 0;
    show_model();
}

void lane_lockstep::show_model() {
    const link::lane_state& s = bank_->state();
    shown_.lanes_ab = static_cast<std::uint8_t>(s.lanes.ab);
    shown_.lanes_ba = static_cast<std::uint8_t>(s.lanes.ba);
    shown_.turning = static_cast<std::uint8_t>(s.turning);
    shown_.failed = static_cast<std::uint8_t>(s.failed);
    // The block shows a decision before it shows that it is on its way.
    const bool to_be_shown = deciding_ != 0 && window_.decision != lane_decision::none;
    shown_.pending = static_cast<std::uint8_t>(bank_->pending() && !to_be_shown ? link::towards(*bank_->pending())
                                                                                : lane_decision::none);
}

void lane_lockstep::show_model_of_cycle(const link::by_direction<std::uint64_t>& phits) {
    for (const auto d : both_directions)
        bank_->carried(d, {next_ - 1, next_, static_cast<unsigned>(phits[d]), phits[d]});
    const totals& then = past_.back();
    shown_.totals = then.whole;
    shown_.busy_ab = then.busy.ab;
    shown_.busy_ba = then.busy.ba;
    shown_.capacity_ab = then.capacity.ab;
    shown_.capacity_ba = then.capacity.ba;
    shown_.decision = static_cast<std::uint8_t>(deciding_ == 1 ? window_.decision : lane_decision::none);
    shown_.window_end = next_ == bank_->state().window_end;
    std::copy_backward(past_.begin(), past_.end() - 1, past_.end());
    if (!shown_.window_end) {
        past_.front() = {bank_->busy(), bank_->capacity_before(next_), false};
        return;
    }
    window_ = bank_->close_window();
    past_.front() = {window_.busy, window_.capacity, true};
    deciding_ = decision_cycles + 1;  // with the cycle that ends the window
}

void lane_lockstep::issue(const link::by_direction<std::uint64_t>& phits) {
    in_.a_valid = first_of(view().a_serve, phits.ab);
    in_.b_valid = first_of(view().b_serve, phits.ba);
    rtl_->drive(in_);
    show_model_of_cycle(phits);
    compare();
    if (!shown_.window_end) return;
    ++windows_;
    if (reads_ == 0) reads_ = counters.size();
}

// After each window the bus reads the counters, as software would: a cycle of set-up, then access until the block is
// ready. A cycle's inputs are driven once in any case, so this costs no evaluation of the block.
void lane_lockstep::next_bus_cycle(bool access_ended) {
    if (access_ended) {
        in_.psel = false;
        --reads_;
    }
    in_.penable = in_.psel;
    if (in_.psel || reads_ == 0) return;
    in_.psel = true;
    in_.paddr = static_cast<std::uint8_t>(counters[reads_ - 1]->offset);
}

std::vector<const char*> lane_lockstep::differences() const {
    const outputs &r = view(), &m = shown_;
    std::vector<const char*> what;
    if (const char* const wrong = wrong_ends(r); wrong != nullptr) what.push_back(wrong);
    const auto check = [&what](bool same, const char* name) {
        if (!same) what.push_back(name);
    };
    check(r.lanes_ab == m.lanes_ab && r.lanes_ba == m.lanes_ba, "lanes");
    check(r.turning == m.turning, "turning lanes");
    check(failed() == m.failed, "failed lanes");
    check(r.pending == m.pending, "decision on its way");
    check(r.window_end == m.window_end, "window's end");
    check(r.totals == m.totals, "totals of a window");
    check(r.decision == m.decision, "decision");
    check(r.busy_ab == m.busy_ab && r.busy_ba == m.busy_ba, "busy lane-cycles");
    check(r.capacity_ab == m.capacity_ab && r.capacity_ba == m.capacity_ba, "available lane-cycles");
    check(r.running, "launched");
    // Nothing clears a cause.
    check(r.irq == (bank_->state().turns + faults_ > 0), "interrupt");
    if (!access_ends()) return what;
    // Counters stop at their greatest value. The block counts a window two cycles
    // after the model; the bus reads WINDOWS as the second of them, which is later.
    const std::array<std::uint64_t, 3> counted{faults_, windows_, bank_->state().turns};
    constexpr std::array names{"faults counted", "windows counted", "turns counted"};
    check(r.prdata == std::min(counted[reads_ - 1], most_counted), names[reads_ - 1]);
    check(!r.pslverr, "error of the bus");
    return what;
}

void lane_lockstep::compare() {
    const auto what = differences();
    differs_ = !what.empty();
    if (what.empty() || tolerant_) return;
    const outputs &r = view(), &m = shown_;
    outputs own = r;
    own.failed = static_cast<std::uint8_t>(failed());
    throw level_difference(
        name_, cycle(),
        fmt::format("{}: RTL and TLM differ in cycle {}: {}\n  RTL: {}\n       A serves {:x}, drives {:x}; B serves "
                    "{:x}, drives {:x}\n  TLM: {}",
                    name_, cycle(), fmt::join(what, ", "), state_of(own), r.a_serve, r.a_drive, r.b_serve, r.b_drive,
                    state_of(m)));
}

}  // namespace contraflow::cosim
