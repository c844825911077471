// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/directed/case_player.h"

#include <bit>
#include <map>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "lane_reversal/directed/directed_player.h"

namespace contraflow::lane_reversal {
namespace {

unsigned count(std::uint32_t lanes) { return static_cast<unsigned>(std::popcount(lanes)); }

// A check has fired: the case is over. What was found is in the bench.
struct case_over {};

// The bench's lanes as a set of lanes, and what a case expects of them. The block takes one cycle at a time: a cycle is
// driven as soon as it is known what it carries, which is when its window closes or the next cycle begins. A launch or
// a fault belongs to the edge that begins a cycle and is given in the cycle before it, which may then be driven
// already: so all of them are set before the first cycle.
class bench_lanes final : public link::lane_set_if {
public:
    bench_lanes(bench& b, const lane_case& c) : bench_(b), player_(b), case_(c) {
        if (!player_.begin(c.with) || !schedule()) throw case_over();
        begin_cycle();
    }

    const link::lane_state& state() const override { return state_; }
    void carried(link::direction d, const link::lane_burst& b) override { carried_[d] += b.carried; }
    void advance(std::uint64_t t) override {
        for (; now_ < t; begin_cycle()) {
            end_cycle();
            ++now_;
        }
    }
    // The block tells the window's totals and its decision later: compare_window.
    link::lane_window close_window() override {
        end_cycle();
        return {now_ + 1, {}, {}, state_.lanes, link::lane_decision::none};
    }
    void launch(std::uint64_t) override {}  // is in the schedule
    void finish(std::uint64_t) override {
        end_cycle();
        finished_ = true;
        while (since_ != 0) {
            player_.edge();
            driven_ = false;
            ++now_;
            end_cycle();
        }
    }
    bool fail_lane(link::direction, std::uint64_t) override { throw std::logic_error("a fault of no case"); }
    void reset(std::uint64_t) override { throw std::logic_error("a reset of no case"); }

    void compare(const link::replay_result& r) {
        for (const expected_window& w : case_.windows)
            for (const link::replayed_window& is : r.windows)
                if (is.lanes.end == w.end && w.queued && !(*w.queued == is.queued))
                    bench_.complain("case.queued",
                                    fmt::format("window to {}: {} and {}", w.end, is.queued.ab, is.queued.ba));
        number("case.cycles_seen", seen_cycles_, case_.cycles.size());
        number("case.windows_seen", seen_windows_, case_.windows.size());
        if (case_.window_count) number("case.windows", r.windows.size(), *case_.window_count);
        if (case_.turns) number("case.turns", r.turns, *case_.turns);
        if (case_.drained) number("case.drained", r.drained, *case_.drained);
        if (case_.served) {
            number("case.served_ab", r.served.ab, case_.served->ab);
            number("case.served_ba", r.served.ba, case_.served->ba);
        }
    }

private:
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

    void begin_cycle() {
        player_.edge();
        driven_ = false;
        const outputs& o = bench_.seen();
        count_turns(o);
        state_.lanes = {count(o.a_serve), count(o.b_serve)};
        state_.turning = o.turning;
        state_.failed = o.failed;
        state_.next_change = now_ + 1;
        state_.window_end = now_ + bench_.ref().holding().sample_time - bench_.ref().cycle_of_window();
    }

    void end_cycle() {
        if (driven_) return;
        driven_ = true;
        player_.drive(carried_.ab, carried_.ba);
        carried_ = {};
        const outputs& o = bench_.seen();
        for (const expected_cycle& c : case_.cycles)
            if (c.cycle == now_ && !finished_) compare_cycle(c, o);
        compare_window(o);
        if (!bench_.found().empty()) throw case_over();
    }

    // Lanes that left, except those that a launch moved or that failed.
    void count_turns(const outputs& o) {
        const auto begun_with = events_.find(now_);
        const std::uint32_t left = (a_served_ & ~o.a_serve) | (b_served_ & ~o.b_serve);
        if (begun_with == events_.end())
            state_.turns += count(left);
        else if (!begun_with->second.launch)
            state_.turns += count(left & ~begun_with->second.fault);
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

    // A window that has ended: its totals show after monitor_cycles, its decision after decision_cycles.
    void compare_window(const outputs& o) {
        if (since_ != 0) {
            for (const expected_window& w : case_.windows) {
                if (w.end != ended_) continue;
                if (since_ == monitor_cycles && (o.busy_ab != w.busy.ab || o.busy_ba != w.busy.ba ||
                                                 o.capacity_ab != w.capacity.ab || o.capacity_ba != w.capacity.ba))
                    bench_.complain("case.window", fmt::format("window to {}: {}/{}, {}/{}", ended_, o.busy_ab,
                                                               o.capacity_ab, o.busy_ba, o.capacity_ba));
                if (since_ != decision_cycles) continue;
                ++seen_windows_;
                if (o.decision != static_cast<unsigned>(w.decision))
                    bench_.complain("case.window", fmt::format("window to {}: decision {}", ended_, o.decision));
            }
            since_ = since_ == decision_cycles ? 0 : since_ + 1;
        }
        if (!o.window_end || finished_) return;
        ended_ = now_ + 1;
        since_ = 1;
    }

    void number(const char* what, std::uint64_t is, std::uint64_t should) {
        if (is != should) bench_.complain(what, fmt::format("{}, expected {}", is, should));
    }

    bench& bench_;
    directed_player player_;
    const lane_case& case_;
    std::map<std::uint64_t, event> events_;  // by the cycle that begins with them
    std::uint64_t now_ = 0;
    bool driven_ = false;
    link::by_direction<std::uint64_t> carried_;  // phits in this cycle
    link::lane_state state_;
    std::uint32_t a_served_ = 0, b_served_ = 0;
    std::uint64_t seen_windows_ = 0, seen_cycles_ = 0;
    std::uint64_t ended_ = 0;  // the end of the window that ended last
    std::uint64_t since_ = 0;  // cycles since then; 0 when its decision has been compared
    bool finished_ = false;    // the case is over
};

}  // namespace

bool play(bench& b, const lane_case& c) try {
    bench_lanes lanes(b, c);
    std::vector<link::trace_row> trace;
    for (const case_row& row : c.rows) trace.push_back(row.trace);
    lanes.compare(link::replay(lanes, trace, {}, c.until_drained ? link::after_trace::drain : link::after_trace::stop));
    return b.found().empty();
} catch (const case_over&) { return false; }

}  // namespace contraflow::lane_reversal
