// SPDX-License-Identifier: Apache-2.0
#include "cosim/lane_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "cosim/verilated_lanes.h"
#include "link/lane_reversal_registers.h"

namespace contraflow::cosim {
namespace {

namespace regs = link::lane_reversal_registers;
using link::by_direction;
using link::direction;

constexpr std::array<unsigned, 4> built{2, 4, 8, 16};  // lanes a direction, as in CMakeLists.txt
constexpr std::uint64_t most_events = 65535;           // at which the RTL's counts of events stay

enum lane_state : std::uint8_t { serving, draining, silent, failed };  // as cf_lane_pkg::lane_e

unsigned block_for(const link::lane_spec& s) {
    const auto* const at =
        std::find_if(built.begin(), built.end(), [&](unsigned n) { return n >= s.lanes_per_direction; });
    return at == built.end() ? 0 : *at;
}

// The lowest so many ones.
std::uint32_t first_of(std::uint32_t mask, std::uint64_t count) {
    std::uint32_t all = 0;
    for (; count > 0 && mask != 0; --count) {
        all |= mask & (~mask + 1);
        mask &= mask - 1;
    }
    return all;
}

std::optional<config::problem> too_long(const char* key, core::cycles value, const regs::field& f) {
    const std::uint64_t most = (std::uint64_t{1} << f.width) - 1;
    if (value.count <= most) return std::nullopt;
    return config::problem{fmt::format("{} is {}, and the RTL's register {} holds {} at most", key,
                                       core::to_text(value), f.name, core::to_text(core::cycles{most})),
                           {{key, "at most " + core::to_text(core::cycles{most})}}};
}

}  // namespace

std::optional<config::problem> lane_block::problem_of(const link::lane_spec& s) {
    if (s.policy != "static" && s.policy != "published" && s.policy != "guarded")
        return config::problem{fmt::format("the RTL has no policy {}", s.policy),
                               {{"policy", "static, published or guarded"}}};
    if (block_for(s) == 0)
        return config::problem{fmt::format("{} lanes a direction, and the RTL is built for {} at most",
                                           s.lanes_per_direction, built.back()),
                               {{"lanes_per_direction", fmt::format("at most {}", built.back())}}};
    for (const auto& problem :
         {too_long("sample_time", s.sample_time, regs::sample_time_cycles),
          too_long("switch_time", s.switch_time, regs::switch_time_cycles),
          too_long("drain", s.drain, regs::drain_cycles), too_long("exchange", s.exchange, regs::exchange_cycles)})
        if (problem) return problem;
    return std::nullopt;
}

lane_block::lane_block(const link::lane_spec& s, const std::string& name, wave::wave_file* waves)
    : spec_(s),
      traced_(waves != nullptr) {
    if (const auto problem = problem_of(s)) throw std::logic_error(fmt::format("{}: {}", name, problem->message));
    model_ = make_lane_model(block_for(s), name, waves);
    reset({s.lanes_per_direction, s.lanes_per_direction});
}

lane_block::~lane_block() = default;

void lane_block::reset(const by_direction<unsigned>& lanes) {
    model& m = *model_;
    m.events(false, 0);
    m.valid(0, 0);
    m.bus(false, false, 0, 0);
    m.reset(true);
    m.clock(false);
    m.eval();
    m.reset(false);
    m.eval();
    write(regs::ctrl.offset, regs::ctrl_enable.in_place(spec_.policy == "static" ? 0 : 1) |
                                 regs::ctrl_guarded.in_place(spec_.policy == "guarded" ? 1 : 0));
    write(regs::sample_time.offset, static_cast<std::uint32_t>(spec_.sample_time.count));
    write(regs::switch_time.offset, static_cast<std::uint32_t>(spec_.switch_time.count));
    write(regs::drain.offset, static_cast<std::uint32_t>(spec_.drain.count));
    write(regs::exchange.offset, static_cast<std::uint32_t>(spec_.exchange.count));
    write(regs::threshold.offset, 99);
    write(regs::min_lanes.offset, spec_.min_lanes);
    // The lower half of the lanes serves A to B. Each half keeps its first ones.
    const unsigned n = m.lanes_per_direction;
    const auto half = [n](unsigned kept) { return ((1u << n) - 1) & ~((1u << kept) - 1); };
    failing_ = half(lanes.ab) | half(lanes.ba) << n;
    settled_ = only_counted_ = issuing_ = started_ = false;
    settle();
}

void lane_block::write(std::uint32_t address, std::uint32_t value) {
    model& m = *model_;
    for (const bool enable : {false, true}) {
        m.bus(true, enable, address, value);
        m.clock(false);
        m.eval();
        if (enable && m.bus_error())
            throw std::logic_error(fmt::format("lane block: register {:#x} refuses {}", address, value));
        m.clock(true);
        m.eval();
    }
    m.bus(false, false, 0, 0);
}

void lane_block::settle() {
    model_->clock(false);
    model_->eval();
    model_->show_all(view_);
    leave_out_absent();
    settled_ = true;
}

void lane_block::leave_out_absent() {
    // Before the first launch none is missed.
    const unsigned absent = 2 * (model_->lanes_per_direction - spec_.lanes_per_direction);
    view_.failed -= std::min(view_.failed, absent);
}

void lane_block::prepare(const lane_edge& e) {
    model& m = *model_;
    uneventful_ = !e.launch && e.faults.ab + e.faults.ba == 0;
    if (uneventful_ && started_ && settled_) return;
    m.events(e.launch, failing_);
    settle();
    for (const auto d : link::both_directions)
        for (unsigned n = e.faults[d]; n > 0; --n) failing_ |= lane_of(d);
    m.events(e.launch, failing_);
    m.eval();
}

void lane_block::edge() {
    model& m = *model_;
    if (watched_) m.remember();
    m.clock(true);
    m.eval();
    only_counted_ = watched_ && started_ && uneventful_ && m.unchanged();
    started_ = true;
    m.events(false, failing_);
    m.valid(0, 0);
    issuing_ = false;
    if (traced_) m.eval();  // the first half of a cycle shows what registers make of it, without inputs
    m.show_registers(view_);
    leave_out_absent();
    settled_ = false;
}

// A lane that serves the direction in the cycle that the edge begins; else of those that turn to it then the one that
// joins first. None that fails already; 0 if there is none.
std::uint32_t lane_block::lane_of(direction d) const {
    const std::uint64_t leave = model_->leave.get(), back = model_->back.get();
    constexpr auto never = std::numeric_limits<std::uint64_t>::max();
    std::uint32_t lane = 0;
    std::uint64_t earliest = never;
    for (std::size_t i = 0; i < model_->lanes.size(); ++i) {
        const auto& l = model_->lanes[i];
        const auto state = l.state.get();
        const bool turns_round = ((leave | back) >> i & 1) != 0;
        if ((failing_ >> i & 1) != 0 || (l.to_ba.get() == 1) != ((d == direction::ba) != turns_round)) continue;
        std::uint64_t left = 0;  // cycles until it serves
        if (turns_round)
            left = never - 1;  // after all others
        else if (state != serving)
            left = l.timer.get() - 1 + (state == draining ? model_->switch_time.get() : 0);
        if (left >= earliest) continue;
        earliest = left;
        lane = 1u << i;
    }
    return lane;
}

void lane_block::issue(std::uint32_t on_a, std::uint32_t on_b) {
    model_->valid(on_a, on_b);
    issuing_ = (on_a | on_b) != 0;
    settle();
}

void lane_block::issue(const by_direction<std::uint64_t>& phits) {
    issue(first_of(view_.a_serve, phits.ab), first_of(view_.b_serve, phits.ba));
}

std::uint64_t lane_block::skippable() const {
    watched_ = true;
    if (!only_counted_ || issuing_) return 0;
    // The window's last cycle, and that before an edge at which a timer ends, are shown, not skipped.
    std::uint64_t cycles = model_->sample_time.get() - 1 - model_->cycle.get();
    const auto before_end = [&](const rtl_register& left) {
        if (const std::uint64_t n = left.get(); n > 0) cycles = std::min(cycles, n - 1);
    };
    before_end(model_->wait);
    for (const auto& l : model_->lanes) before_end(l.timer);
    return cycles;
}

void lane_block::skip(std::uint64_t cycles) {
    const auto n = static_cast<std::int64_t>(cycles);
    const auto count_down = [n](const rtl_register& left) {
        if (left.get() > 0) left.add(-n);
    };
    model_->cycle.add(n);
    for (const auto d : link::both_directions) model_->capacity[d].add(n * view_.lanes[d]);
    count_down(model_->wait);
    for (const auto& l : model_->lanes) count_down(l.timer);
    settled_ = false;
}

bool lane_block::at_rest() const {
    return skippable() > 0 && view_.turning == 0 && view_.pending == link::lane_decision::none;
}

void lane_block::skip_windows(std::uint64_t windows) {
    model_->windows.set(std::min(model_->windows.get() + windows, most_events));
}

void lane_block::set_busy(const by_direction<std::uint64_t>& lane_cycles) {
    for (const auto d : link::both_directions) model_->busy[d].set(lane_cycles[d]);
    settled_ = false;
}

std::uint64_t lane_block::turns() const { return model_->turns.get(); }
std::uint64_t lane_block::windows() const { return model_->windows.get(); }

}  // namespace contraflow::cosim
