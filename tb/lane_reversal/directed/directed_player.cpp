// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/directed/directed_player.h"

#include <algorithm>
#include <bit>

#include "lane_reversal/stimulus/programming.h"

namespace contraflow::lane_reversal {
namespace {

unsigned count(std::uint32_t lanes) { return static_cast<unsigned>(std::popcount(lanes)); }

std::uint32_t up_to(std::uint64_t n, std::uint32_t lanes) {
    while (count(lanes) > n) lanes &= lanes - 1;
    return lanes;
}

}  // namespace

bool directed_player::begin(const settings& s, std::uint32_t absent, std::uint32_t irq_enable) {
    events_.clear();
    bus_ = lib::apb_master(1, lib::pattern::none, true);
    if (!bench_.reset() || !program(bench_, s)) return false;
    if (irq_enable != 0 && !access({true, map::irq_enable.offset, irq_enable})) return false;
    cycle_ = 0;
    bench_.edge();
    inputs in;
    in.rst_n = in.launch = true;
    in.fault = absent;
    return bench_.drive(in);
}

bool directed_player::drive(std::uint64_t ab, std::uint64_t ba) {
    inputs in;
    in.rst_n = true;
    in.a_valid = up_to(ab, bench_.seen().a_serve);
    in.b_valid = up_to(ba, bench_.seen().b_serve);
    if (everywhere_) {
        in.a_valid |= bench_.parameters().all_lanes() & ~bench_.seen().a_serve;
        in.b_valid |= bench_.parameters().all_lanes() & ~bench_.seen().b_serve;
    }
    if (const auto e = events_.find(cycle_); e != events_.end()) {
        in.launch = e->second.launch;
        in.fault = e->second.fault;
        in.rst_n = !e->second.reset;
        for (const lib::bus_access& a : e->second.accesses) bus_.add(a);
        events_.erase(e);
    }
    bus_.drive(in, true);
    if (!in.rst_n) bus_.reset();
    ++cycle_;
    if (!bench_.drive(in)) return false;
    if (bus_.ended(bench_.seen().pready) && !in.pwrite) read_ = bench_.seen().prdata;
    return true;
}

bool directed_player::run(std::uint64_t cycles, std::uint64_t ab, std::uint64_t ba) {
    for (std::uint64_t i = 0; i < cycles; ++i)
        if (!cycle(ab, ba)) return false;
    return true;
}

bool directed_player::settle() {
    const settings s = bench_.ref().holding();
    std::uint64_t left = 2 * (s.sync_latency + s.drain + s.switch_time) + 20;
    unsigned more = decision_cycles;  // a window may have ended just now
    while (bench_.ref().out().turning != 0 || bench_.ref().out().pending != 0 || !bus_.idle() || more > 0) {
        if (more > 0) --more;
        if (left-- == 0) {
            bench_.complain("end.unfinished", "a turn or a register access does not end");
            return false;
        }
        if (!cycle(0, 0)) return false;
    }
    bench_.finish();
    return bench_.found().empty();
}

bool directed_player::access(const lib::bus_access& a) {
    bus_.add(a);
    // Without wait states an access takes two cycles; those that wait before it take as long.
    for (std::size_t left = 2 * bus_.waiting() + 2; !bus_.idle(); --left) {
        if (left == 0) {
            bench_.complain("end.unfinished", "a register access does not end");
            return false;
        }
        if (!cycle(0, 0)) return false;
    }
    return true;
}

}  // namespace contraflow::lane_reversal
