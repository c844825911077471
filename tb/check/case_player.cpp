// SPDX-License-Identifier: Apache-2.0
#include "check/case_player.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "check/programming.h"

namespace contraflow::check {
namespace {

using link::direction;

class player {
public:
    player(bench& b, const lane_case& c) : bench_(b), case_(c) {}

    bool play() {
        if (!bench_.reset() || !program(bench_, case_.with)) return false;
        next_.launch = true;  // cycle 0 begins with one
        next_.rst_n = true;
        bench_.edge();
        if (!bench_.drive(next_)) return false;
        next_.launch = false;
        for (const case_row& row : case_.rows) {
            // A launch or a fault belongs to the edge that begins the next cycle: it is driven with the cycle before.
            if (row.trace.launch) pending_launch_ = true;
            pending_faults_ |= row.faults;
            for (std::uint64_t i = 0; i < row.trace.cycles; ++i)
                if (!cycle(row.trace.arrivals)) return false;
        }
        if (!flush()) return false;
        while (case_.until_drained && (queue_.ab > 0 || queue_.ba > 0))
            if (!cycle({}) || !flush()) return false;
        return totals();
    }

private:
    // Cycles are held back by one, so that what begins the next is known when a cycle is driven.
    bool cycle(const link::by_direction<std::uint64_t>& arrivals) {
        if (held_) {
            if (!drive()) return false;
        } else if (pending_launch_ || pending_faults_ != 0) {
            bench_.complain("case", "a case cannot begin with a launch or a fault of its own");
            return false;
        }
        held_ = true;
        arrivals_ = arrivals;
        return true;
    }
    bool flush() { return !std::exchange(held_, false) || drive(); }

    bool drive() {
        bench_.edge();
        const outputs now = bench_.seen();
        count_turns(now);
        inputs in;
        in.rst_n = true;
        in.launch = begins_with_launch_ = std::exchange(pending_launch_, false);
        in.fault = failed_ = std::exchange(pending_faults_, 0);
        for (const auto d : link::both_directions) {
            const std::uint32_t lanes = d == direction::ab ? now.a_serve : now.b_serve;
            queue_[d] += arrivals_[d];
            const auto used = std::min<std::uint64_t>(queue_[d], static_cast<unsigned>(std::popcount(lanes)));
            queue_[d] -= used;
            served_[d] += used;
            std::uint32_t mask = lanes;
            for (auto spare = static_cast<unsigned>(std::popcount(lanes)) - used; spare > 0; --spare) mask &= mask - 1;
            (d == direction::ab ? in.a_valid : in.b_valid) = mask;
        }
        const bool good = bench_.drive(in);
        look(bench_.seen());
        return good && bench_.found().empty();
    }

    // Lanes that left, but for a launch's and those that failed.
    void count_turns(const outputs& now) {
        const std::uint32_t left = (a_served_ & ~now.a_serve) | (b_served_ & ~now.b_serve);
        if (!begins_with_launch_) turns_ += static_cast<unsigned>(std::popcount(left & ~failed_));
        a_served_ = now.a_serve;
        b_served_ = now.b_serve;
    }

    void look(const outputs& o) {
        const std::uint64_t t = bench_.cycle();
        for (const expected_cycle& c : case_.cycles)
            if (c.cycle == t) compare_cycle(c, o);
        if (o.window_end) close(t + 1, o);
    }

    void compare_cycle(const expected_cycle& c, const outputs& o) {
        ++seen_cycles_;
        const auto drivers = [](std::uint32_t d) { return static_cast<unsigned>(std::popcount(d)); };
        if (o.lanes_ab != c.lanes.ab || o.lanes_ba != c.lanes.ba || o.turning != c.turning || o.failed != c.failed)
            bench_.complain("case.lanes",
                            fmt::format("{} + {}, {} turning, {} failed; expected {} + {}, {}, {}", o.lanes_ab,
                                        o.lanes_ba, o.turning, o.failed, c.lanes.ab, c.lanes.ba, c.turning, c.failed));
        if (c.drivers && (drivers(o.a_drive) != c.drivers->ab || drivers(o.b_drive) != c.drivers->ba))
            bench_.complain("case.drivers", fmt::format("{} and {}, expected {} and {}", drivers(o.a_drive),
                                                        drivers(o.b_drive), c.drivers->ab, c.drivers->ba));
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
    const lane_case& case_;
    inputs next_;
    bool held_ = false, pending_launch_ = false, begins_with_launch_ = false;
    std::uint32_t pending_faults_ = 0, failed_ = 0, a_served_ = 0, b_served_ = 0;
    link::by_direction<std::uint64_t> arrivals_, queue_, served_;
    std::uint64_t turns_ = 0, windows_ = 0, seen_windows_ = 0, seen_cycles_ = 0;
};

}  // namespace

bool play(bench& b, const lane_case& c) { return player(b, c).play(); }

}  // namespace contraflow::check
