// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/directed/directed_test.h"

#include <algorithm>

#include <fmt/format.h>

#include "lane_reversal/directed/corner_test.h"
#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::lane_reversal {
namespace {

class suite : public directed_suite {
public:
    using directed_suite::directed_suite;

    void run(bool long_tests) {
        registers_after_reset();
        walking_ones();
        every_split();
        launch_in_every_split();
        events_in_a_turn();
        odd_lanes();
        all_lanes_fail();
        many_fail_at_once();
        lanes_to_mend();
        settings_under_demand();
        settings_beside_repairs();
        settings_while_a_window_is_decided();
        decisions_that_lapse();
        threshold_corners();
        each_bit_of_the_sync_latency();
        if (bench_.parameters().time_width <= 12) greatest_times();
        if (n_ <= 4 || long_tests) event_counts();  // the counters do not depend on the lanes
        if (long_tests) long_windows();
        // A set of few lanes simulates fastest; long tests of many lanes have their widths to show.
        if (n_ == 2 || (n_ > 8 && long_tests) || (n_ >= 2 && bench_.parameters().time_width <= 12))
            products_of_long_windows();
        if (long_tests) long_turn();
    }

private:
    void registers_after_reset() {
        test("registers after reset", [&] {
            if (!bench_.reset()) return false;
            // Reads all word addresses and some between, and writes values that no register accepts, before any launch.
            for (unsigned address = 0; address < 256; address += address % 8 == 4 ? 3 : 1)
                if (!player_.access({false, static_cast<std::uint8_t>(address), 0})) return false;
            for (const map::reg& r : map::all)
                if (!player_.access({true, r.offset, ~0u}) || !player_.access({false, r.offset, 0})) return false;
            return true;
        });
    }

    void walking_ones() {
        test("every bit of every register", [&] {
            if (!bench_.reset()) return false;
            for (const map::reg& r : map::all)
                for (unsigned bit = 0; bit < 32; ++bit)
                    for (const std::uint32_t data : {1u << bit, ~(1u << bit), (1u << bit) - 1})
                        if (!player_.access({true, r.offset, data}) || !player_.access({false, r.offset, 0}))
                            return false;
            return true;
        });
    }

    // Traffic in one direction until the other has one lane, then in the other direction, then back to the middle.
    void every_split() {
        for (const settings& s : {times(12, 2, 1, 0), times(15, 1, 0, 2), times(8, 0, 0, 0), times(11, 0, 2, 1)}) {
            test(fmt::format("every split, window {}", s.sample_time), [&] {
                const std::uint64_t turn = s.sample_time + period(s);
                return player_.begin(s) && player_.run(n_ * turn, 99, 0) && player_.run(2 * n_ * turn, 0, 99) &&
                       player_.run(2 * n_ * turn, 99, 0) && player_.run(n_ * turn / 2, 0, 99) && player_.settle();
            });
        }
    }

    // Lanes turn one way up to the k-th; a launch comes while that one turns, and again while it turns back.
    void launch_in_every_split() {
        const settings s = times(9, 8, 2, 0);
        for (const bool ab : {false, true})
            for (unsigned k = 0; k + 1 < n_; ++k)
                test(fmt::format("launch in turn {} {}", k, ab ? "to ab" : "to ba"), [&] {
                    for (const unsigned when : {1u, 6u}) {
                        event launch;
                        launch.launch = true;
                        if (!player_.begin(s)) return false;
                        const std::uint64_t leaves = s.sample_time + k * period(s) + s.sync_latency;
                        player_.at(leaves + when, launch);
                        player_.at(leaves + when + 4, launch);
                        if (!player_.run(leaves + 20, ab ? 99 : 0, ab ? 0 : 99)) return false;
                        if (!player_.settle()) return false;
                    }
                    return true;
                });
    }

    // The same turn again and again, with one event a cycle later each time: launch, reset, each lane's fault, each
    // setting, and two of them together.
    void events_in_a_turn() {
        for (const settings& s : {times(9, 4, 3, 0), times(9, 4, 3, 5), times(11, 0, 2, 0), times(10, 3, 0, 2),
                                  times(8, 0, 0, 3), times(16, 4, 3, 0)}) {
            const std::uint64_t span = 2 * s.sample_time + s.switch_time + s.drain + s.sync_latency + 4;
            for (std::uint64_t when = 0; when < span; ++when) {
                for (const bool away : {false, true})
                    test(fmt::format("events in cycle {} of a turn ({}/{}/{}/{})", when, s.sample_time, s.switch_time,
                                     s.drain, s.sync_latency),
                         [&] { return events_at(s, when, away); });
            }
        }
    }

    bool events_at(const settings& s, std::uint64_t when, bool away) {
        std::vector<event> events(3);
        events[0].launch = true;
        events[1].reset = true;
        events[2].launch = true;
        events[2].fault = 1u << (n_ - 1);
        for (unsigned lane : {0u, n_ - 1, n_, 2 * n_ - 1}) {
            event e;
            e.fault = 1u << lane;
            events.push_back(e);
        }
        event both;
        both.fault = 3u << (n_ - 1);
        events.push_back(both);
        for (const lib::bus_access& a :
             {lib::bus_access{true, map::min_lanes.offset, n_}, lib::bus_access{true, map::switch_time.offset, 2},
              lib::bus_access{true, map::sample_time.offset, 10}, lib::bus_access{true, map::ctrl.offset, 3},
              lib::bus_access{true, map::irq_status.offset, 3}, lib::bus_access{true, map::turns.offset, 0},
              lib::bus_access{true, map::windows.offset, 0}, lib::bus_access{false, map::status.offset, 0}}) {
            event e;
            e.accesses = {a};
            events.push_back(e);
        }
        for (const event& e : events) {
            // From symmetric, or with lanes already away from it.
            if (!player_.begin(s, 0, 3)) return false;
            if (away && !player_.run(2 * period(s), 0, 99)) return false;
            player_.at(when, e);
            if (e.launch) player_.at(when + 2, e);
            if (!player_.run(4 * s.sample_time + when, 99, 0)) return false;
            // What was raised and counted shows only to one who reads it.
            for (const map::reg& r : {map::irq_status, map::faults})
                if (!player_.access({false, r.offset, 0})) return false;
            if (!e.reset && !player_.settle()) return false;
        }
        return true;
    }

    // Absent lanes: an odd number is left, and a launch divides it.
    void odd_lanes() {
        test("absent lanes", [&] {
            for (const std::uint32_t absent : {1u, 1u << (2 * n_ - 1), 1u | 1u << n_, 3u << (n_ - 1)}) {
                if (!player_.begin(times(9, 2, 1, 0), absent)) return false;
                event launch;
                launch.launch = true;
                player_.at(80, launch);
                player_.at(160, launch);
                if (!player_.run(120, 99, 0) || !player_.run(120, 0, 99) || !player_.settle()) return false;
            }
            return true;
        });
    }

    // Lanes fail one after the other, from either end of the link.
    void all_lanes_fail() {
        for (const bool upwards : {false, true})
            for (const unsigned pause : {1u, 9u})
                test("all lanes fail", [&] {
                    if (!player_.begin(times(9, 3, 1, 1))) return false;
                    for (unsigned i = 0; i < 2 * n_; ++i) {
                        event e;
                        e.fault = 1u << (upwards ? i : 2 * n_ - 1 - i);
                        player_.at(3 + i * pause, e);
                    }
                    event launch;
                    launch.launch = true;
                    player_.at(4 + 2 * n_ * pause, launch);
                    return player_.run(30 + 2 * n_ * pause, 2, 3) && failed(2 * n_) && player_.settle();
                });
    }

    void many_fail_at_once() {
        for (const unsigned count : {n_, 2 * n_})
            test(fmt::format("{} lanes fail at once", count), [&] {
                event faults;
                faults.fault = (2u << (count - 1)) - 1;
                if (!player_.begin(times(9, 3, 1, 1))) return false;
                player_.at(7, faults);
                return player_.run(40, 2, 3) && failed(count) && player_.settle();
            });
    }

    // The registers tell that so many lanes have failed since the launch.
    bool failed(unsigned lanes) {
        if (!player_.access({false, map::status.offset, 0})) return false;
        const std::uint32_t by_status = map::status_failed.of(player_.read());
        if (!player_.access({false, map::faults.offset, 0})) return false;
        if (by_status == lanes && player_.read() == lanes) return true;
        bench_.complain("case.failed",
                        fmt::format("{} lanes failed; STATUS tells {}, FAULTS {}", lanes, by_status, player_.read()));
        return false;
    }

    // The minimum is raised above the lanes of a direction.
    void lanes_to_mend() {
        for (const bool ab : {false, true})
            test("a raised minimum", [&] {
                const settings s = times(9, 3, 2, 0);
                if (!player_.begin(s) || !player_.run((n_ + 1) * period(s), ab ? 99 : 0, ab ? 0 : 99)) return false;
                return player_.access({true, map::min_lanes.offset, n_}) && player_.run(60, 9, 1) && player_.settle();
            });
    }

    // Traffic that turns a lane in every window, until CTRL switches decisions off: that takes effect at the end of the
    // window in which it is written, and no later one decides.
    void settings_under_demand() {
        if (n_ < 2) return;  // no lane turns
        for (const unsigned wait : {0u, 1u, 4u, 7u, 8u, 15u})
            test(fmt::format("decisions switched off while every window decides, {} cycles into one", wait), [&] {
                const settings s = times(16, 1, 1, 0);
                constexpr unsigned written_in = 10;
                if (!player_.begin(s)) return false;
                for (unsigned window = 0; window < 100; ++window) {
                    event e;
                    e.accesses = {{true, map::ctrl.offset, 0}};
                    if (window == written_in) player_.at(wait, e);
                    e.accesses = {{false, map::status.offset, 0}};
                    // The write ends a cycle after its set-up: in the next window, if that was in the last cycle.
                    const bool over = window >= written_in + 2;
                    if (over) player_.at(0, e);
                    const unsigned ab = window % 2 == 0 ? 99 : 0;
                    // The decision of the window before shows now.
                    if (!player_.run(decision_cycles, ab, 99 - ab)) return false;
                    const unsigned decision = bench_.seen().decision;
                    if (window > 0 && window <= written_in && decision == 0)
                        bench_.complain("settings.settled", "a window of the preparation decides nothing");
                    if (!player_.run(s.sample_time - decision_cycles, ab, 99 - ab)) return false;
                    if (over && (decision != 0 || map::status_settled.of(player_.read()) == 0 ||
                                 map::status_enabled.of(player_.read()) != 0))
                        bench_.complain("settings.settled", "a setting does not take effect at a window's end");
                    if (!bench_.found().empty()) return false;
                }
                return player_.settle();
            });
    }

    // A lane leaves for a repair while a written setting waits: a fault that leaves a direction without lanes, or a
    // raised minimum, in each cycle of a window, and a write in each cycle around it.
    void settings_beside_repairs() {
        if (n_ < 2) return;  // no lane turns
        for (const settings& s : {times(9, 3, 1, 0), times(9, 0, 0, 0), times(8, 0, 0, 0)})
            for (const bool raised : {false, true})
                for (const bool ab : {false, true})
                    test(fmt::format("settings beside a repair of {} by {}, window {}, turnaround {}", ab ? "ba" : "ab",
                                     raised ? "a raised minimum" : "a fault", s.sample_time, s.switch_time),
                         [&] { return repair_at_each_cycle(s, raised, ab); });
    }

    // A setting is written after a window's end and takes effect with a launch before that window's decision shows: the
    // decision is by the settings of the window's end.
    void settings_while_a_window_is_decided() {
        if (n_ < 2) return;  // no lane turns
        for (const lib::bus_access& a :
             {lib::bus_access{true, map::ctrl.offset, 0}, lib::bus_access{true, map::ctrl.offset, 3},
              lib::bus_access{true, map::threshold.offset, 1}, lib::bus_access{true, map::min_lanes.offset, n_}})
            for (const bool ab : {false, true})
                test(fmt::format("register {:#x} changes while a window is decided {}", a.address,
                                 ab ? "to ab" : "to ba"),
                     [&] {
                         const settings s = times(10, 1, 1, 0);
                         // Published, the other direction gives a lane; guarded it would not.
                         const unsigned x = ab ? 99 : n_ - 1, y = ab ? n_ - 1 : 99;
                         for (unsigned write = s.sample_time - 2; write < s.sample_time + decision_cycles; ++write)
                             for (unsigned launched = write + 1; launched < write + 5; ++launched) {
                                 event setting, launch;
                                 setting.accesses = {a};
                                 launch.launch = true;
                                 if (!player_.begin(s)) return false;
                                 player_.at(write, setting);
                                 player_.at(launched, launch);
                                 if (!player_.run(3 * s.sample_time, x, y) || !player_.settle()) return false;
                             }
                         return true;
                     });
    }

    bool repair_at_each_cycle(const settings& s, bool raised, bool ab) {
        const unsigned a = ab ? 99 : 0, b = 99 - a;
        const unsigned step = n_ <= 4 ? 1 : 3;  // with many lanes it takes long until a direction has nearly all
        for (unsigned lack = s.sample_time; lack < 2 * s.sample_time; ++lack)
            for (unsigned write = lack % step; write < 2 * s.sample_time + 4; write += step) {
                // One direction has all lanes but one when it comes.
                if (!player_.begin(s) || !player_.run((n_ + 1) * period(s) + 2, a, b)) return false;
                event setting, repair;
                if (raised)
                    repair.accesses = {{true, map::min_lanes.offset, n_}};
                else
                    repair.fault = outermost(!ab, 1);
                if (write == lack) setting = repair;
                setting.accesses.push_back({true, map::switch_time.offset, s.switch_time + 2});
                player_.at(lack, repair);
                player_.at(write, setting);
                if (!player_.run(6 * s.sample_time + 4, a, b) || !player_.settle()) return false;
            }
        return true;
    }

    // The lanes that a decision needs fail while it is made or pending.
    void decisions_that_lapse() {
        if (n_ < 2) return;  // no lane turns
        const settings s = times(10, 2, 1, 5);
        for (const unsigned wait : {0u, 5u})
            for (const unsigned when : {12u, 17u, 18u, 19u, 20u, 22u})
                for (const bool ab : {true, false})
                    test(fmt::format("no lane to spare from cycle {} on, {} cycles after the decision, {}", when, wait,
                                     ab ? "to ab" : "to ba"),
                         [&] {
                             settings tight = times(10, 2, 1, wait);
                             tight.min_lanes = n_ - 1;
                             event fault;
                             fault.fault = outermost(!ab, 1);
                             if (!player_.begin(tight)) return false;
                             player_.at(when, fault);
                             return player_.run(60, ab ? 99 : 0, ab ? 0 : 99) && player_.settle();
                         });
        test("a direction to be mended during the sync latency", [&] {
            event fault;
            fault.fault = 1u;
            // a to b is left with lane 0 alone, wants one more, and loses it.
            if (!player_.begin(s) || !player_.run((n_ + 1) * period(s), 0, 99)) return false;
            if (!until(
                    "a decision", [&] { return bench_.ref().out().pending != 0; }, 3 * period(s), 99, 0))
                return false;
            player_.at(1, fault);
            return player_.run(60, 99, 0) && player_.settle();
        });
    }

    // To the greatest value and no further, by a turn in every window.
    void event_counts() {
        test("counts of events stay at their greatest value", [&] {
            const settings s = times(9, 0, 0, 0);
            if (!player_.begin(s)) return false;
            const auto read = [&] {
                for (const map::reg& r : map::all)
                    if (!player_.access({false, r.offset, 0})) return false;
                return true;
            };
            // Reads the counters often, because the end does not show an increment that was lost earlier.
            for (unsigned i = 0; i < 65600; ++i) {
                if (i % 97 == 0) {
                    if (!read()) return false;
                    while (bench_.ref().cycle_of_window() + 1 != s.sample_time)
                        if (!player_.run(1, 0, 0)) return false;
                }
                if (!player_.run(s.sample_time, i % 2 == 0 ? 99 : 0, i % 2 == 0 ? 0 : 99)) return false;
            }
            for (const map::reg& r : {map::turns, map::windows, map::faults})
                if (!player_.access({false, r.offset, 0}) || !player_.access({true, r.offset, 0}) ||
                    !player_.access({false, r.offset, 0}))
                    return false;
            return true;
        });
    }

    void threshold_corners() {
        test("thresholds", [&] {
            for (const std::uint32_t percent : {0u, 1u, 50u, 99u, 100u})
                for (const bool guarded : {false, true}) {
                    settings s = times(12, 1, 1, 0);
                    s.threshold = percent;
                    s.guarded = guarded;
                    for (unsigned ba = 0; ba <= n_; ++ba)
                        if (!player_.begin(s) || !player_.run(40, n_, ba) || !player_.run(40, ba, n_)) return false;
                }
            return true;
        });
    }

    // Every bit of the times, where a time is short enough to be waited for.
    void greatest_times() {
        const std::uint32_t most = bench_.parameters().longest_time(), path = bench_.parameters().longest_path();
        test("the greatest times", [&] {
            const std::uint32_t wait = path - decision_cycles;
            for (const settings& s : {times(most, 1, 1, 0), times(10, most, 0, 0), times(10, 0, path, 0),
                                      times(10, 1, 1, wait), times(most / 2 + 1, most / 3 * 2, path / 2, wait / 3)})
                for (const bool ab : {false, true})
                    if (!player_.begin(s) || !player_.run(2 * most + 20, ab ? 99 : 0, ab ? 0 : 99) || !player_.settle())
                        return false;
            return true;
        });
    }

    // A wait with one bit alone, and a sync latency with one bit alone, for each: a decision must not seem to need
    // none.
    void each_bit_of_the_sync_latency() {
        for (unsigned bit = 0; bit < std::min(bench_.parameters().path_width, 8u); ++bit)
            for (const std::uint32_t more : {0u, decision_cycles}) {
                const std::uint32_t latency = more + (1u << bit);
                if (latency < decision_cycles || latency > bench_.parameters().longest_path()) continue;
                test(fmt::format("a sync latency of {}", latency), [&] {
                    const settings s = times(10, 1, 1, latency - decision_cycles);
                    for (const bool ab : {false, true})
                        if (!player_.begin(s) || !player_.run(40 + s.sync_latency, ab ? 99 : 0, ab ? 0 : 99) ||
                            !player_.settle())
                            return false;
                    return true;
                });
            }
    }

    // The last bit of the totals, which as many lanes as one direction can have reach in half of the longest window: 15
    // lanes for 559240 cycles are 0x7ffff8, for 559300 0x80039c.
    void long_windows() {
        std::uint32_t last = 1;
        while (last < 2 * n_) last *= 2;
        const std::uint32_t below = last / 2 * (1u << bench_.parameters().time_width) / (2 * n_ - 1);
        for (const bool ab : {true, false})
            test("windows that reach the last bit of the totals", [&] {
                const settings s = times(8, 1, 1, 0);
                const unsigned a = ab ? 99 : 0, b = ab ? 0 : 99;
                if (!player_.begin(s) || !player_.run((n_ + 1) * period(s), a, b)) return false;
                // Short windows between and after bring the registers of the last window's totals down again.
                for (const std::uint32_t window : {below, below + 60})
                    if (!player_.access({true, map::sample_time.offset, window}) || !player_.run(20, a, b) ||
                        !player_.access({true, map::sample_time.offset, 8}) || !player_.run(window, a, b))
                        return false;
                for (const map::reg& r : {map::busy_ab, map::busy_ba, map::capacity_ab, map::capacity_ba})
                    if (!player_.access({false, r.offset, 0})) return false;
                return true;
            });
    }

    // Decisions whose products with the threshold have each bit, up to that of the longest window. One direction has as
    // many lanes as it can get, and all but one of them are busy: that is next to a threshold, where a product that
    // loses its highest bit decides otherwise.
    void products_of_long_windows() {
        const unsigned most = 2 * n_ - 1;
        const std::uint32_t below = 100 * (most - 1) / most;  // with this threshold it is saturated, with the next not
        for (unsigned bit = 13;; ++bit) {
            const std::uint64_t window = (std::uint64_t{1} << bit) / (below * most) + 1;
            if (window > bench_.parameters().longest_time()) return;
            if (window < 8) continue;
            for (const bool ab : {true, false})
                for (const std::uint32_t threshold : {below, below + 1})
                    test(fmt::format("products with bit {}, {} at {} %", bit, ab ? "ab" : "ba", threshold), [&] {
                        settings s = times(8, 1, 1, 0);
                        s.threshold = threshold;
                        const unsigned all = 99, some = most - 1;
                        if (!player_.begin(s) || !player_.run((n_ + 1) * period(s), ab ? all : 0, ab ? 0 : all))
                            return false;
                        const auto length = static_cast<std::uint32_t>(window);
                        if (!player_.access({true, map::sample_time.offset, length}) ||
                            !player_.run(20, ab ? all : 0, ab ? 0 : all))
                            return false;
                        // The totals are those of a window in which all these lanes served from its first cycle on.
                        const auto whole = [&] {
                            const outputs& now = bench_.ref().out();
                            return now.totals && (ab ? now.capacity_ab : now.capacity_ba) == most * window;
                        };
                        return until("a window of all lanes but one", whole, 2 * window, ab ? some : 1,
                                     ab ? 1 : some) &&
                               player_.run(decision_cycles, 0, 0) && player_.settle();
                    });
        }
    }

    // Every bit of the remaining times of a turn and of a sync latency, up and down.
    void long_turn() {
        const std::uint32_t most = bench_.parameters().longest_time(), path = bench_.parameters().longest_path();
        test("a turn of the greatest times", [&] {
            return player_.begin(times(10, most, path, path - decision_cycles)) &&
                   player_.run(most + 2 * path + 40, 99, 0) && player_.settle();
        });
    }
};

}  // namespace

void run_directed(bench& b, bool long_tests, const lib::test_list& list) {
    suite s(b, list);
    s.run(long_tests);
    if (s.going()) run_corners(b, list);
}

}  // namespace contraflow::lane_reversal
