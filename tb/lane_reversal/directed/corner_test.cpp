// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/directed/corner_test.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/random.h"
#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::lane_reversal {
namespace {

class corners : public directed_suite {
public:
    using directed_suite::directed_suite;

    void run() {
        next_to_the_threshold();
        a_hundredth_from_the_threshold();
        next_to_the_guard();
        a_hundredth_from_the_guard();
        a_giver_that_got_a_lane();
        givers_with_many_lanes();
        phits_elsewhere();
        one_side_without_lanes();
        few_lanes_on_one_side();
        capacities_of_one_bit();
        launches_while_lanes_turn();
        launches_with_lanes_out_of_order();
        repairs_while_a_lane_drains();
        launches_after_faults();
        every_change_of_ctrl();
        anything_fails();
        totals_of_long_windows();
    }

private:
    // One window with these numbers of phits in each direction, which has so many lanes, until its decision has
    // shown and the lane has left.
    bool one_window(const settings& s, std::uint64_t ab, std::uint64_t ba, unsigned lanes) {
        if (!player_.begin(s, bench_.parameters().all_lanes() & ~(outermost(true, lanes) | outermost(false, lanes))))
            return false;
        for (std::uint64_t left = s.sample_time; left > 0; --left) {
            const std::uint64_t now_ab = std::min<std::uint64_t>(ab, lanes),
                                now_ba = std::min<std::uint64_t>(ba, lanes);
            if (!player_.run(1, now_ab, now_ba)) return false;
            ab -= now_ab;
            ba -= now_ba;
        }
        return player_.run(decision_cycles + 1, 0, 0);
    }
    bool one_window(const settings& s, std::uint64_t ab, std::uint64_t ba) { return one_window(s, ab, ba, n_); }

    // Every threshold, with one phit more and one less than it asks for.
    void next_to_the_threshold() {
        for (const std::uint32_t window : {9u, 11u, 13u})
            test(fmt::format("thresholds in windows of {}", window), [&] {
                settings s = times(window, 1, 1, 0);
                const std::uint64_t capacity = std::uint64_t{n_} * window;
                for (s.threshold = 0; s.threshold <= 100; ++s.threshold) {
                    const std::uint64_t enough = (capacity * s.threshold + 99) / 100;
                    for (const std::uint64_t busy : {enough, enough - (enough > 0 ? 1 : 0)})
                        if (!one_window(s, busy, 0) || !one_window(s, 0, busy)) return false;
                }
                return true;
            });
        // Also the margin that the guarded rule leaves to the giver.
        test("guarded, every load of the giver", [&] {
            settings s = times(9, 1, 1, 0);
            s.guarded = true;
            for (const std::uint32_t threshold : {50u, 87u, 99u, 100u})
                for (std::uint64_t busy = 0; busy <= 9 * n_; ++busy) {
                    s.threshold = threshold;
                    if (!one_window(s, 9 * n_, busy) || !one_window(s, busy, 9 * n_)) return false;
                }
            return true;
        });
    }

    // Loads one hundredth of a lane-cycle above and below the threshold, the least that there is. A capacity comes so
    // close for odd numbers of lanes, and for thresholds that share no factor with 100.
    void a_hundredth_from_the_threshold() {
        for (const unsigned lanes : {3u, 7u})
            if (lanes <= n_)
                test(fmt::format("a hundredth from the threshold, {} lanes", lanes), [&] {
                    settings s = times(9, 0, 0, 0);
                    for (s.threshold = 1; s.threshold < 100; ++s.threshold)
                        for (const std::uint64_t rest : {1u, 99u}) {
                            const auto busy = load_with_rest(s, lanes, rest);
                            if (busy && (!one_window(s, *busy, 0, lanes) || !one_window(s, 0, *busy, lanes)))
                                return false;
                        }
                    return true;
                });
    }

    // Chooses the first window in which the threshold of that many lanes' capacity leaves that rest of a hundred. The
    // load next to it; nothing if no window does.
    std::optional<std::uint64_t> load_with_rest(settings& s, unsigned lanes, std::uint64_t rest) const {
        for (s.sample_time = 9; s.sample_time <= longest_window(); ++s.sample_time) {
            const std::uint64_t limit = std::uint64_t{s.threshold} * lanes * s.sample_time;
            if (limit % 100 == rest) return (limit + 50) / 100;
        }
        return std::nullopt;
    }

    std::uint32_t longest_window() const { return std::min<std::uint32_t>(bench_.parameters().longest_time(), 63); }

    // The greatest load with which a giver may still give, by the guarded rule, and one phit more.
    void next_to_the_guard() {
        if (n_ < 2) return;  // no lane turns
        test("guarded, next to the greatest load of a giver", [&] {
            settings s = times(9, 1, 1, 0);
            s.guarded = true;
            for (const std::uint32_t window : {longest_window(), 41u, 26u})
                for (s.threshold = 50; s.threshold <= 100; s.threshold += 2) {
                    s.sample_time = window;
                    const std::uint64_t all = std::uint64_t{n_} * window;
                    const std::uint64_t refused = (s.threshold * all * (n_ - 1) + 100 * n_ - 1) / (100 * n_);
                    for (const std::uint64_t busy : {refused - 1, refused})
                        if (!one_window(s, all, busy) || !one_window(s, busy, all)) return false;
                }
            return true;
        });
    }

    // By how little a giver of few lanes may give, or may not: with all of them throughout the window.
    void a_hundredth_from_the_guard() {
        for (unsigned lanes = 2; lanes <= std::min(n_, 4u); ++lanes)
            test(fmt::format("guarded, a hundredth from the greatest load, {} lanes", lanes), [&] {
                settings s = times(9, 0, 0, 0);
                s.guarded = true;
                const std::uint64_t least = lanes == 3 ? 2 : 1;  // two other lanes make every product even
                for (s.threshold = 1; s.threshold < 100; ++s.threshold)
                    for (const std::uint64_t rest : {least, 100 - least}) {
                        // With a lane fewer, the giver may have this load at most.
                        const auto busy = load_with_rest(s, lanes - 1, rest);
                        const std::uint64_t all = std::uint64_t{lanes} * s.sample_time;
                        if (busy && (!one_window(s, all, *busy, lanes) || !one_window(s, *busy, all, lanes)))
                            return false;
                    }
                return true;
            });
    }

    // A launch brings a giver its second lane, which joins in the first window: so its capacity can be odd, and its
    // load half a hundredth from the greatest with which it may give.
    void a_giver_that_got_a_lane() {
        if (n_ < 3) return;  // no launch brings a lane to a single one
        for (const bool ab : {false, true})
            test(fmt::format("guarded, {} gives what it just got", ab ? "ab" : "ba"), [&] {
                settings s = times(longest_window(), 0, 2, 0);
                s.guarded = true;
                event launch;
                launch.launch = true;
                // The giver has one lane, the other direction the three next to the border.
                const std::uint32_t working = outermost(ab, 1) | (outermost(!ab, n_) & ~outermost(!ab, n_ - 3));
                for (s.switch_time = 7; s.switch_time + 3u < s.sample_time; ++s.switch_time) {
                    const std::uint64_t capacity = 2ull * s.sample_time - s.drain - s.switch_time;
                    for (s.threshold = 1; s.threshold <= 100; ++s.threshold) {
                        const std::uint64_t rest = s.threshold * capacity % 200;
                        if (rest != 1 && rest != 199) continue;
                        const std::uint64_t busy = (s.threshold * capacity + 100) / 200;
                        if (!player_.begin(s, bench_.parameters().all_lanes() & ~working)) return false;
                        player_.at(1, launch);  // the second one knows what is absent
                        if (!player_.run(2, 0, 0)) return false;
                        for (std::uint64_t cycle = 0; cycle < s.sample_time; ++cycle) {
                            const unsigned load = cycle < busy ? 1 : 0;
                            if (!player_.run(1, ab ? load : 99, ab ? 99 : load)) return false;
                        }
                        const outputs& now = bench_.ref().out();
                        if (!until(
                                "the window's totals", [&] { return now.totals; }, decision_cycles, 0, 0))
                            return false;
                        if ((ab ? now.capacity_ab : now.capacity_ba) != capacity) {
                            bench_.complain("case.capacity", "the lane joins at another time");
                            return false;
                        }
                        if (!player_.run(decision_cycles, 0, 0)) return false;
                    }
                }
                return true;
            });
    }

    // All lanes but one turn to one direction, which then gives back a few of them, at loads from none to full.
    void givers_with_many_lanes() {
        if (n_ < 2) return;  // no lane turns
        settings s = times(longest_window(), 1, 1, 0);
        s.guarded = true;
        for (const std::uint32_t threshold : {60u, 100u})
            for (const bool ab : {false, true})
                test(fmt::format("guarded, many lanes to give, threshold {}, {}", threshold, ab ? "ab" : "ba"), [&] {
                    s.threshold = threshold;
                    for (unsigned load = 0; load < 2 * n_; load += std::max(1u, n_ / 4)) {
                        settings quick = s;
                        quick.sample_time = 9;
                        if (!player_.begin(quick) || !player_.run((n_ + 1) * period(quick), ab ? 99 : 0, ab ? 0 : 99) ||
                            !player_.access({true, map::sample_time.offset, s.sample_time}) ||
                            !player_.run(4 * s.sample_time, ab ? load : 99, ab ? 99 : load) || !player_.settle())
                            return false;
                    }
                    return true;
                });
    }

    // One direction has nearly all lanes and the other loses its last; a launch comes with that, or one or two cycles
    // later. Some neighbouring lanes are absent from the start.
    void one_side_without_lanes() {
        const std::uint32_t all = bench_.parameters().all_lanes();
        for (const settings& s : {times(8, 0, 0, 0), times(9, 3, 2, 0)})
            for (const bool ab : {false, true})
                test(fmt::format("{} loses its last lane, turnaround {}", ab ? "ba" : "ab", s.switch_time), [&] {
                    for (unsigned absent = 0; absent < 4; ++absent)
                        for (unsigned first = 1; first + absent < 2 * n_; first += absent == 0 ? 2 * n_ : 1)
                            for (const unsigned when : {0u, 1u, 2u}) {
                                event fault, launch;
                                launch.launch = true;
                                fault.fault = outermost(!ab, 1);
                                launch.fault = when == 0 ? fault.fault : 0;
                                if (!player_.begin(s, all & ((1u << absent) - 1) << first) ||
                                    !player_.run((n_ + 1) * period(s), ab ? 99 : 0, ab ? 0 : 99))
                                    return false;
                                player_.at(3, fault);
                                player_.at(3 + when, launch);
                                if (!player_.run(20, ab ? 99 : 0, ab ? 0 : 99) || !player_.settle()) return false;
                            }
                    return true;
                });
    }

    // One direction has up to half of the lanes and the other a single one, which fails; a launch comes with that, or
    // one or two cycles later, and divides what is left.
    void few_lanes_on_one_side() {
        const settings s = times(9, 3, 2, 0);
        for (const bool ab : {false, true})
            test(fmt::format("few lanes, and {} loses its last", ab ? "ba" : "ab"), [&] {
                for (unsigned kept = 1; kept <= n_; ++kept)
                    for (const unsigned when : {0u, 1u, 2u}) {
                        event fault, launch;
                        fault.fault = outermost(!ab, 1);
                        launch.launch = true;
                        launch.fault = when == 0 ? fault.fault : 0;
                        if (!player_.begin(s, bench_.parameters().all_lanes() & ~(outermost(ab, kept) | fault.fault)))
                            return false;
                        player_.at(3, fault);
                        player_.at(3 + when, launch);
                        if (!player_.run(20, ab ? 99 : 0, ab ? 0 : 99) || !player_.settle()) return false;
                    }
                return true;
            });
    }

    // A direction that could carry a power of two of phits in a window, and did: with as many lanes throughout, and
    // with one that joins ever later in the window.
    void capacities_of_one_bit() {
        if (n_ < 2) return;  // no lane turns
        const auto all = bench_.parameters().all_lanes();
        for (const bool ab : {false, true}) {
            test(fmt::format("{} could carry a power of two and did", ab ? "ab" : "ba"), [&] {
                for (unsigned lanes = 1; lanes <= n_; lanes *= 2)
                    for (std::uint32_t window = 8; window <= longest_window(); window *= 2) {
                        const settings s = times(window, 1, 1, 0);
                        if (!player_.begin(s, all & ~(outermost(ab, lanes) | outermost(!ab, n_))) ||
                            !player_.run(window + period(s), ab ? 99 : 0, ab ? 0 : 99) || !player_.settle())
                            return false;
                    }
                return true;
            });
            test(fmt::format("a lane joins {} ever later in the window", ab ? "ab" : "ba"), [&] {
                event fault;
                fault.fault = outermost(ab, 1);
                for (std::uint32_t change = 8; change < 24; ++change)
                    for (const std::uint32_t before : {1u, 2u, 3u}) {
                        const settings s = times(24, change, 1, 0);
                        if (!player_.begin(s, all & ~(fault.fault | outermost(!ab, n_)))) return false;
                        player_.at(s.sample_time - before, fault);
                        if (!player_.run(2 * s.sample_time + 2 * period(s), ab ? 99 : 0, ab ? 0 : 99) ||
                            !player_.settle())
                            return false;
                    }
                return true;
            });
        }
    }

    // A launch turns several lanes, because only lanes of one side work. While they turn, some lanes fail, and another
    // launch divides what is left.
    void launches_while_lanes_turn() {
        const std::uint32_t all = bench_.parameters().all_lanes();
        for (const bool low : {false, true})
            test(fmt::format("a launch while lanes of {} turn", low ? "ab" : "ba"), [&] {
                const settings s = times(30, 6, 2, 0);
                for (unsigned absent = 1; absent < 2 * n_; ++absent)
                    for (unsigned failing = 0; absent + failing<2 * n_; failing += n_> 8 ? 3 : 1)
                        for (const unsigned when : {3u, 5u}) {
                            event fault, launch;
                            fault.fault = outermost(low, failing);
                            launch.launch = true;
                            if (!player_.begin(s, outermost(!low, absent) & all)) return false;
                            player_.at(1, launch);
                            player_.at(2, fault);
                            player_.at(when, launch);
                            if (!player_.run(20, 99, 99) || !player_.settle()) return false;
                        }
                return true;
            });
    }

    // A repair breaks the order of the lanes: a decision's lane turns to a direction, and the lane next to it leaves
    // that one. Later a launch takes a decision's lane back that has a lane of its new direction on both sides.
    void launches_with_lanes_out_of_order() {
        if (n_ < 4) return;  // too few lanes
        const auto turning = [&] { return bench_.ref().out().turning; };
        for (const bool ab : {false, true})
            test(fmt::format("a launch takes a lane back from among those of {}", ab ? "ab" : "ba"), [&] {
                settings s = times(20, 6, 2, 0);
                s.min_lanes = 2;
                const auto lane = [&](unsigned i) { return 1u << (ab ? i : 2 * n_ - 1 - i); };
                const std::uint32_t first = lane(0), second = lane(1), next = lane(n_), after = lane(n_ + 1),
                                    fails = lane(n_ + 2), last = lane(2 * n_ - 1);
                const std::uint32_t load_ab = ab ? 99 : 0, load_ba = 99 - load_ab;
                const auto comes = [&](const char* what, unsigned lanes) {
                    return until(
                        what, [&] { return turning() == lanes; }, 4 * period(s), load_ab, load_ba);
                };
                event fault, launch;
                launch.launch = true;
                // Decisions turn `next`, then `after`.
                if (!player_.begin(s,
                                   bench_.parameters().all_lanes() & ~(first | second | next | after | fails | last)) ||
                    !comes("a decision's turn", 1) || !comes("its end", 0) || !comes("the next one's", 1))
                    return false;
                // The giver has one lane left, and gets `next` back.
                fault.fault = fails;
                player_.at(0, fault);
                if (!comes("a repair", 2) || !comes("its end", 0)) return false;
                // Each has two lanes left, and a decision turns `next` again.
                fault.fault = second;
                player_.at(0, fault);
                if (!player_.access({true, map::min_lanes.offset, 1}) || !comes("another decision's turn", 1))
                    return false;
                const outputs& now = bench_.ref().out();
                if ((ab ? now.a_serve : now.b_serve) != (first | after)) {
                    bench_.complain("case.order", "the lanes are in order");
                    return false;
                }
                player_.at(1, launch);
                return player_.run(40, load_ab, load_ba) && player_.settle();
            });
    }

    // A direction has two lanes. One of them drains, to leave it, and the other fails: in each cycle of the turn.
    void repairs_while_a_lane_drains() {
        if (n_ < 3) return;  // too few lanes
        const settings s = times(9, 3, 3, 0);
        for (const bool ab : {false, true})
            test(fmt::format("{} has two lanes, one drains, the other fails", ab ? "ab" : "ba"), [&] {
                const std::uint32_t working = ab ? 3u | 7u << (2 * n_ - 3) : 7u | 3u << (2 * n_ - 2);
                event fault;
                fault.fault = outermost(ab, 1);
                for (std::uint64_t when = 0; when < s.sample_time + s.sync_latency + s.drain + s.switch_time + 3u;
                     ++when) {
                    if (!player_.begin(s, bench_.parameters().all_lanes() & ~working)) return false;
                    player_.at(when, fault);
                    if (!player_.run(40, ab ? 0 : 99, ab ? 99 : 0) || !player_.settle()) return false;
                }
                return true;
            });
    }

    // A phit counts only where its end serves the lane.
    void phits_elsewhere() {
        for (const unsigned load : {0u, 1u, n_})
            test(fmt::format("phits on lanes that don't serve, {} on those that do", load), [&] {
                player_.offer_everywhere(true);
                const bool good = player_.begin(times(9, 3, 1, 1)) && player_.run(30, load, load) &&
                                  player_.run(120, 99, 0) && player_.run(240, 0, 99) && player_.settle();
                player_.offer_everywhere(false);
                return good;
            });
    }

    // Lanes turn to one direction; a launch sends them back; while they turn, lanes of either side fail; and another
    // launch divides the remaining lanes.
    void launches_after_faults() {
        const std::uint32_t all = bench_.parameters().all_lanes();
        event launch;
        launch.launch = true;
        for (const bool ab : {false, true})
            for (unsigned moved = 1; moved < std::min(n_, 4u); ++moved)
                test(fmt::format("{} lanes away, a launch, faults, a launch", moved), [&] {
                    const settings s = times(9, 8, 2, 0);
                    const std::uint64_t away = s.sample_time + s.sync_latency + (moved - 1) * period(s) + 13;
                    for (unsigned failing = 1; failing < 2 * n_; ++failing)
                        for (const bool upper : {false, true})
                            for (const unsigned when : {1u, 5u}) {
                                event faults;
                                faults.fault = upper ? all << (2 * n_ - failing) & all : all >> (2 * n_ - failing);
                                if (!player_.begin(s)) return false;
                                player_.at(away, launch);
                                player_.at(away + when, faults);
                                player_.at(away + when + 2, launch);
                                if (!player_.run(away + 40, ab ? 99 : 0, ab ? 0 : 99) || !player_.settle())
                                    return false;
                            }
                    return true;
                });
    }

    // Random lanes fail at two random times, among launches, with traffic that turns lanes in both directions.
    void anything_fails() {
        for (unsigned seed = 1; seed <= 8; ++seed)
            test(fmt::format("lanes fail among launches, seed {}", seed), [&] {
                core::random_source random(seed);
                event launch;
                launch.launch = true;
                for (unsigned i = 0; i < 60; ++i) {
                    settings s = times(9, 1 + static_cast<unsigned>(random.below(9)), 2, 0);
                    s.min_lanes = 1 + static_cast<unsigned>(random.below(2));
                    if (!player_.begin(s)) return false;
                    for (unsigned n = 0; n < 2; ++n) {
                        event faults;
                        faults.fault = static_cast<std::uint32_t>(random.below(bench_.parameters().all_lanes() + 1ull));
                        if (random.below(2) == 0) faults.fault &= static_cast<std::uint32_t>(random.below(1u << 31));
                        player_.at(random.below(160), faults);
                    }
                    for (unsigned n = 0; n < 4; ++n) player_.at(random.below(220), launch);
                    const bool ab = random.below(2) == 0;
                    if (!player_.run(80 + random.below(60), ab ? 99 : 0, ab ? 0 : 99) ||
                        !player_.run(100, ab ? 0 : 99, ab ? 99 : 0) || !player_.settle())
                        return false;
                }
                return true;
            });
    }

    // Totals are read more than once while the next window runs.
    void totals_of_long_windows() {
        const std::uint32_t window = std::min<std::uint32_t>(bench_.parameters().longest_time(), 300);
        for (const unsigned load : {1u, n_, 99u})
            test(fmt::format("totals of windows of {}, {} phits", window, load), [&] {
                if (!player_.begin(times(window, 1, 1, 0))) return false;
                for (const bool ab : {true, false}) {
                    // Turns nearly all lanes to one direction; then a window's totals are read while the next one runs.
                    if (!player_.run(std::uint64_t{window} * (2 * n_ + 2), ab ? load : 1, ab ? 1 : load)) return false;
                    for (unsigned n = 0; n < 3; ++n)
                        for (const map::reg& r : {map::busy_ab, map::busy_ba, map::capacity_ab, map::capacity_ba})
                            if (!player_.access({false, r.offset, 0})) return false;
                }
                return player_.settle();
            });
    }

    // Changes CTRL from every content to every other, and reads it before and after the change takes effect.
    void every_change_of_ctrl() {
        test("every change of CTRL", [&] {
            for (std::uint32_t from = 0; from < 4; ++from)
                for (std::uint32_t to = 0; to < 4; ++to) {
                    settings s = times(40, 1, 1, 0);
                    s.enable = (from & map::ctrl_enable.in_place(1)) != 0;
                    s.guarded = (from & map::ctrl_guarded.in_place(1)) != 0;
                    if (!player_.begin(s) || !player_.access({true, map::ctrl.offset, to})) return false;
                    for (unsigned i = 0; i < 2; ++i)
                        if (!player_.access({false, map::status.offset, 0}) ||
                            !player_.access({false, map::ctrl.offset, 0}) || !player_.run(40, 99, 0))
                            return false;
                    if (!player_.settle()) return false;
                }
            return true;
        });
    }
};

}  // namespace

bool run_corners(bench& b, const lib::test_list& list) {
    corners s(b, list);
    s.run();
    return s.going();
}

}  // namespace contraflow::lane_reversal
