// SPDX-License-Identifier: Apache-2.0
#include "cosim/lane_lockstep.h"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cosim/level_difference.h"

namespace contraflow::cosim {
namespace {

constexpr std::uint64_t most_events = 65535;  // that the RTL counts

std::string state_of(const lane_view& v) {
    return fmt::format(
        "lanes {} + {}, {} turning, {} failed, decision on its way {}; {}decision {}, busy {} and {} of {} and {}",
        v.lanes.ab, v.lanes.ba, v.turning, v.failed, name(v.pending), v.window_end ? "window ends, " : "",
        name(v.decision), v.busy.ab, v.busy.ba, v.capacity.ab, v.capacity.ba);
}

// What of the RTL's ends is wrong in itself; empty: nothing.
const char* wrong_ends(const lane_view& v) {
    if ((v.a_serve & v.b_serve) != 0) return "both ends may issue on a lane";
    if ((v.a_drive & v.b_drive) != 0) return "both ends drive a lane";
    if ((v.a_serve & ~v.a_drive) != 0 || (v.b_serve & ~v.b_drive) != 0)
        return "an end serves a lane that it does not drive";
    if (static_cast<unsigned>(std::popcount(v.a_serve)) != v.lanes.ab ||
        static_cast<unsigned>(std::popcount(v.b_serve)) != v.lanes.ba)
        return "the lanes that serve are not as many as are counted";
    if (static_cast<unsigned>(std::popcount(v.a_drive | v.b_drive)) > v.lanes.ab + v.lanes.ba + v.turning)
        return "a lane is driven that neither serves nor turns";
    return nullptr;
}

}  // namespace

void lane_lockstep::start(std::uint64_t at, const link::by_direction<unsigned>& lanes) {
    rtl_.start(at, lanes);
    model_.start(at, lanes);
    next_ = at;
}

void lane_lockstep::prepare(const lane_edge& e) {
    rtl_.prepare(e);
    model_.prepare(e);
}

void lane_lockstep::begin() {
    rtl_.begin();
    model_.begin();
    ++next_;
}

std::uint64_t lane_lockstep::pass(std::uint64_t at_most) {
    if (!tolerant_) return 0;
    const std::uint64_t cycles = rtl_.pass(at_most);
    model_.follow(cycles);
    next_ += cycles;
    return cycles;
}

void lane_lockstep::count(const link::by_direction<std::uint64_t>& phits) {
    rtl_.count(phits);
    model_.count(phits);
}

void lane_lockstep::issue(const link::by_direction<std::uint64_t>& phits) {
    rtl_.issue(phits);
    model_.issue(phits);
    if (!tolerant_) compare();
}

void lane_lockstep::compare() const {
    const lane_view &r = rtl_.view(), &m = model_.view();
    std::vector<const char*> what;
    if (const char* const wrong = wrong_ends(r); wrong != nullptr) what.push_back(wrong);
    const auto check = [&what](bool same, const char* name) {
        if (!same) what.push_back(name);
    };
    check(r.lanes == m.lanes, "lanes");
    check(r.turning == m.turning, "turning lanes");
    check(r.failed == m.failed, "failed lanes");
    check(r.pending == m.pending, "decision on its way");
    check(r.window_end == m.window_end, "window's end");
    check(r.decision == m.decision, "decision");
    check(r.busy == m.busy, "busy lane-cycles");
    check(r.capacity == m.capacity, "available lane-cycles");
    check(rtl_.block().turns() == std::min(model_.turns(), most_events), "turns counted");
    // The RTL counts a window with the edge that ends it.
    check(std::min(rtl_.block().windows() + (r.window_end ? 1 : 0), most_events) ==
              std::min(model_.windows(), most_events),
          "windows counted");
    if (what.empty()) return;
    throw level_difference(
        name_, cycle(),
        fmt::format("{}: RTL and TLM differ in cycle {}: {}\n  RTL: {}\n       A serves {:x}, drives {:x}; B serves "
                    "{:x}, drives {:x}\n  TLM: {}",
                    name_, cycle(), fmt::join(what, ", "), state_of(r), r.a_serve, r.a_drive, r.b_serve, r.b_drive,
                    state_of(m)));
}

}  // namespace contraflow::cosim
