// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/bench/scoreboard.h"

#include <fmt/format.h>

namespace contraflow::lane_reversal {

void scoreboard::reset() {
    turns_.reset();
    expected_turns_.reset();
    windows_.reset();
    expected_windows_.reset();
}

void scoreboard::compare_pins(const outputs& out, const outputs& expected, lib::findings& f) const {
    if (out == expected) return;
    const auto pin = [&](const char* check, std::uint64_t is, std::uint64_t should) {
        if (is != should) f.add(check, fmt::format("{:#x}, expected {:#x}", is, should));
    };
    pin("pins.prdata", out.prdata, expected.prdata);
    pin("pins.pready", out.pready, expected.pready);
    pin("pins.pslverr", out.pslverr, expected.pslverr);
    pin("pins.irq", out.irq, expected.irq);
    pin("pins.a_serve", out.a_serve, expected.a_serve);
    pin("pins.b_serve", out.b_serve, expected.b_serve);
    pin("pins.a_drive", out.a_drive, expected.a_drive);
    pin("pins.b_drive", out.b_drive, expected.b_drive);
    pin("pins.running", out.running, expected.running);
    pin("pins.idle", out.idle, expected.idle);
    pin("pins.lanes_ab", out.lanes_ab, expected.lanes_ab);
    pin("pins.lanes_ba", out.lanes_ba, expected.lanes_ba);
    pin("pins.turning", out.turning, expected.turning);
    pin("pins.failed", out.failed, expected.failed);
    pin("pins.window_end", out.window_end, expected.window_end);
    pin("pins.decision", out.decision, expected.decision);
    pin("pins.pending", out.pending, expected.pending);
    pin("pins.under_way", out.under_way, expected.under_way);
    pin("pins.totals", out.totals, expected.totals);
    pin("pins.busy_ab", out.busy_ab, expected.busy_ab);
    pin("pins.busy_ba", out.busy_ba, expected.busy_ba);
    pin("pins.capacity_ab", out.capacity_ab, expected.capacity_ab);
    pin("pins.capacity_ba", out.capacity_ba, expected.capacity_ba);
}

void scoreboard::compare_turns(lib::findings& f) {
    auto& seen = turns_.completed();
    auto& expected = expected_turns_.completed();
    while (!seen.empty() && !expected.empty()) {
        const auto &s = seen.front(), &e = expected.front();
        if (!(s == e))
            f.add("turn.transaction",
                  fmt::format("lane {} left in {} and joined {} in {}, expected lane {}, {}, {}, {}", s.lane, s.left,
                              s.to_ab ? "ab" : "ba", s.joined, e.lane, e.left, e.to_ab ? "ab" : "ba", e.joined));
        seen.pop_front();
        expected.pop_front();
        ++totals_.turns;
    }
}

void scoreboard::compare_windows(lib::findings& f) {
    auto& seen = windows_.completed();
    auto& expected = expected_windows_.completed();
    while (!seen.empty() && !expected.empty()) {
        const auto &s = seen.front(), &e = expected.front();
        if (!(s == e))
            f.add("window.transaction", fmt::format("busy {}/{}, {}/{}, decision {}; expected {}/{}, {}/{}, {}",
                                                    s.busy_ab, s.capacity_ab, s.busy_ba, s.capacity_ba, s.decision,
                                                    e.busy_ab, e.capacity_ab, e.busy_ba, e.capacity_ba, e.decision));
        seen.pop_front();
        expected.pop_front();
        ++totals_.windows;
    }
}

void scoreboard::compare(const turn_monitor::moment& now, const inputs& in, const outputs& out, const reference& ref,
                         lib::findings& f) {
    ++totals_.cycles;
    compare_pins(out, ref.out(), f);
    if (!ref.disagreement().empty()) f.add("model", ref.disagreement());
    turns_.observe(now, out, ref.holding(), &f);
    expected_turns_.observe(now, ref.out(), ref.holding(), nullptr);
    compare_turns(f);
    windows_.observe(now.cycle, in, out, ref.holding(), ref.settled(), &f);
    expected_windows_.observe(now.cycle, in, ref.out(), ref.holding(), ref.settled(), nullptr);
    compare_windows(f);
    if (in.psel && in.penable && out.pready) {
        ++totals_.accesses;
        if (out.prdata != ref.out().prdata || out.pslverr != ref.out().pslverr)
            f.add("register.transaction",
                  fmt::format("{} {:#04x}: {:#x}{}, expected {:#x}{}", in.pwrite ? "write" : "read", in.paddr,
                              in.pwrite ? in.pwdata : out.prdata, out.pslverr ? " refused" : "", ref.out().prdata,
                              ref.out().pslverr ? " refused" : ""));
    }
}

void scoreboard::finish(lib::findings& f) {
    if (!turns_.completed().empty() || !expected_turns_.completed().empty())
        f.add("turn.left_over", "a turn that only the block or only its reference completed");
    if (!windows_.completed().empty() || !expected_windows_.completed().empty())
        f.add("window.left_over", "a window that only the block or only its reference completed");
}

}  // namespace contraflow::lane_reversal
