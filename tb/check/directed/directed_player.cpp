// SPDX-License-Identifier: Apache-2.0
#include "check/directed/directed_player.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "check/stimulus/programming.h"

namespace contraflow::check {
namespace {

unsigned count(std::uint32_t lanes) { return static_cast<unsigned>(std::popcount(lanes)); }

std::uint32_t up_to(std::uint64_t n, std::uint32_t lanes) {
    while (count(lanes) > n) lanes &= lanes - 1;
    return lanes;
}

}  // namespace

bool directed_player::begin(const settings& s, std::uint32_t absent) {
    events_.clear();
    bus_ = apb_driver(1, gate::none);
    cycle_ = 0;
    if (!bench_.reset() || !program(bench_, s)) return false;
    bench_.edge();
    inputs in;
    in.rst_n = in.launch = true;
    in.fault = absent;
    return bench_.drive(in);
}

bool directed_player::cycle(std::uint64_t ab, std::uint64_t ba) {
    bench_.edge();
    inputs in;
    in.rst_n = true;
    in.a_valid = up_to(ab, bench_.seen().a_serve);
    in.b_valid = up_to(ba, bench_.seen().b_serve);
    if (everywhere_) {
        in.a_valid |= all_lanes() & ~bench_.seen().a_serve;
        in.b_valid |= all_lanes() & ~bench_.seen().b_serve;
    }
    if (const auto e = events_.find(cycle_); e != events_.end()) {
        in.launch = e->second.launch;
        in.fault = e->second.fault;
        in.rst_n = !e->second.reset;
        for (const register_access& a : e->second.accesses) bus_.add(a);
        events_.erase(e);
    }
    bus_.drive(in, true);
    if (!in.rst_n) bus_.reset();
    ++cycle_;
    if (!bench_.drive(in)) return false;
    bus_.ended(bench_.seen().pready);
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
    while (bench_.ref().out().turning != 0 || bench_.ref().out().pending != 0 || !bus_.idle()) {
        if (left-- == 0) {
            bench_.complain("end.unfinished", "a turn or a register access does not end");
            return false;
        }
        if (!cycle(0, 0)) return false;
    }
    bench_.finish();
    return bench_.found().empty();
}

bool directed_player::access(const register_access& a) {
    bus_.add(a);
    while (!bus_.idle())
        if (!cycle(0, 0)) return false;
    return true;
}

// --- cases

namespace {

class case_run {
public:
    case_run(bench& b, const lane_case& c) : bench_(b), player_(b), case_(c) {}

    bool play() {
        if (!player_.begin(case_.with) || !schedule()) return false;
        for (const case_row& row : case_.rows)
            for (std::uint64_t i = 0; i < row.trace.cycles; ++i)
                if (!cycle(row.trace.arrivals)) return false;
        while (case_.until_drained && (queue_.ab > 0 || queue_.ba > 0))
            if (!cycle({})) return false;
        return totals();
    }

private:
    // A launch or a fault belongs to the edge that begins the next cycle: it is given in the cycle before.
    bool schedule() {
        std::uint64_t t = 0;
        for (const case_row& row : case_.rows) {
            if (row.trace.launch || row.faults != 0) {
                if (t == 0) {
                    bench_.complain("case", "a case cannot begin with a launch or a fault of its own");
                    return false;
                }
                event& e = events_[t];
                e.launch = e.launch || row.trace.launch;
                e.fault |= row.faults;
            }
            t += row.trace.cycles;
        }
        for (const auto& [at, e] : events_) player_.at(at - 1, e);
        return true;
    }

    bool cycle(const link::by_direction<std::uint64_t>& arrivals) {
        for (const auto d : link::both_directions) queue_[d] += arrivals[d];
        const bool good = player_.run(1, queue_.ab, queue_.ba);
        const outputs& o = bench_.seen();
        const link::by_direction<unsigned> lanes{count(o.a_serve), count(o.b_serve)};
        for (const auto d : link::both_directions) {
            const auto used = std::min<std::uint64_t>(queue_[d], lanes[d]);
            queue_[d] -= used;
            served_[d] += used;
        }
        count_turns(o);
        for (const expected_cycle& c : case_.cycles)
            if (c.cycle == bench_.cycle()) compare_cycle(c, o);
        if (o.window_end) close(bench_.cycle() + 1, o);
        return good && bench_.found().empty();
    }

    // Lanes that left, except those that a launch moved or that failed.
    void count_turns(const outputs& o) {
        const auto begun_with = events_.find(bench_.cycle());
        const std::uint32_t left = (a_served_ & ~o.a_serve) | (b_served_ & ~o.b_serve);
        if (begun_with == events_.end())
            turns_ += count(left);
        else if (!begun_with->second.launch)
            turns_ += count(left & ~begun_with->second.fault);
        a_served_ = o.a_serve;
        b_served_ = o.b_serve;
    }

    void compare_cycle(const expected_cycle& c, const outputs& o) {
        ++seen_cycles_;
        if (o.lanes_ab != c.lanes.ab || o.lanes_ba != c.lanes.ba || o.turning != c.turning || o.failed != c.failed)
            bench_.complain("case.lanes",
                            fmt::format("{} + {}, {} turning, {} failed; expected {} + {}, {}, {}", o.lanes_ab,
                                        o.lanes_ba, o.turning, o.failed, c.lanes.ab, c.lanes.ba, c.turning, c.failed));
        if (c.drivers && (count(o.a_drive) != c.drivers->ab || count(o.b_drive) != c.drivers->ba))
            bench_.complain("case.drivers", fmt::format("{} and {}, expected {} and {}", count(o.a_drive),
                                                        count(o.b_drive), c.drivers->ab, c.drivers->ba));
    }

    void close(std::uint64_t end, const outputs& o) {
        ++windows_;
        for (const expected_window& w : case_.windows) {
            if (w.end != end) continue;
            ++seen_windows_;
            if (o.busy_ab != w.busy.ab || o.busy_ba != w.busy.ba || o.capacity_ab != w.capacity.ab ||
                o.capacity_ba != w.capacity.ba || o.decision != static_cast<unsigned>(w.decision))
                bench_.complain("case.window", fmt::format("window to {}: {}/{}, {}/{}, decision {}", end, o.busy_ab,
                                                           o.capacity_ab, o.busy_ba, o.capacity_ba, o.decision));
            if (w.queued && !(*w.queued == queue_))
                bench_.complain("case.queued", fmt::format("window to {}: {} and {}", end, queue_.ab, queue_.ba));
        }
    }

    bool totals() {
        const auto number = [&](const char* what, std::uint64_t is, std::uint64_t should) {
            if (is != should) bench_.complain(what, fmt::format("{}, expected {}", is, should));
        };
        number("case.cycles_seen", seen_cycles_, case_.cycles.size());
        number("case.windows_seen", seen_windows_, case_.windows.size());
        if (case_.window_count) number("case.windows", windows_, *case_.window_count);
        if (case_.turns) number("case.turns", turns_, *case_.turns);
        if (case_.drained) number("case.drained", bench_.cycle() + 1, *case_.drained);
        if (case_.served) {
            number("case.served_ab", served_.ab, case_.served->ab);
            number("case.served_ba", served_.ba, case_.served->ba);
        }
        return bench_.found().empty();
    }

    bench& bench_;
    directed_player player_;
    const lane_case& case_;
    std::map<std::uint64_t, event> events_;  // by the cycle that begins with them
    std::uint32_t a_served_ = 0, b_served_ = 0;
    link::by_direction<std::uint64_t> queue_, served_;
    std::uint64_t turns_ = 0, windows_ = 0, seen_windows_ = 0, seen_cycles_ = 0;
};

}  // namespace

bool play(bench& b, const lane_case& c) { return case_run(b, c).play(); }

}  // namespace contraflow::check
