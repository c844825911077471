// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/directed/corner_test.h"

#include <algorithm>

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
        phits_elsewhere();
        launches_after_faults();
        every_change_of_ctrl();
        anything_fails();
        totals_of_long_windows();
    }

private:
    // One window with these numbers of phits in each direction, and the first cycle of the next window.
    bool one_window(const settings& s, std::uint64_t ab, std::uint64_t ba) {
        if (!player_.begin(s)) return false;
        for (std::uint64_t left = s.sample_time; left > 0; --left) {
            const std::uint64_t now_ab = std::min<std::uint64_t>(ab, n_), now_ba = std::min<std::uint64_t>(ba, n_);
            if (!player_.run(1, static_cast<unsigned>(now_ab), static_cast<unsigned>(now_ba))) return false;
            ab -= now_ab;
            ba -= now_ba;
        }
        return player_.run(1, 0, 0);
    }

    // Every threshold, with one phit more and one less than it asks for.
    void next_to_the_threshold() {
        for (const std::uint32_t window : {7u, 11u, 13u})
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
            settings s = times(7, 1, 1, 0);
            s.guarded = true;
            for (const std::uint32_t threshold : {50u, 87u, 99u, 100u})
                for (std::uint64_t busy = 0; busy <= 7 * n_; ++busy) {
                    s.threshold = threshold;
                    if (!one_window(s, 7 * n_, busy) || !one_window(s, busy, 7 * n_)) return false;
                }
            return true;
        });
    }

    // A phit counts only where its end serves the lane.
    void phits_elsewhere() {
        for (const unsigned load : {0u, 1u, n_})
            test(fmt::format("phits on lanes that don't serve, {} on those that do", load), [&] {
                player_.offer_everywhere(true);
                const bool good = player_.begin(times(6, 3, 1, 1)) && player_.run(20, load, load) &&
                                  player_.run(60, 99, 0) && player_.run(120, 0, 99) && player_.settle();
                player_.offer_everywhere(false);
                return good;
            });
    }

    // Lanes turn to one direction; a launch sends them back; while they turn, lanes of either side fail; and another
    // launch divides the remaining lanes.
    void launches_after_faults() {
        const std::uint32_t all = player_.all_lanes();
        event launch;
        launch.launch = true;
        for (const bool ab : {false, true})
            for (unsigned moved = 1; moved < std::min(n_, 4u); ++moved)
                test(fmt::format("{} lanes away, a launch, faults, a launch", moved), [&] {
                    const settings s = times(6, 8, 2, 0);
                    const std::uint64_t away = s.sample_time + moved * 12 + 1;
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
                    settings s = times(6, 1 + static_cast<unsigned>(random.below(9)), 2, 0);
                    s.min_lanes = 1 + static_cast<unsigned>(random.below(2));
                    if (!player_.begin(s)) return false;
                    for (unsigned n = 0; n < 2; ++n) {
                        event faults;
                        faults.fault = static_cast<std::uint32_t>(random.below(player_.all_lanes() + 1ull));
                        if (random.below(2) == 0) faults.fault &= static_cast<std::uint32_t>(random.below(1u << 31));
                        player_.at(random.below(100), faults);
                    }
                    for (unsigned n = 0; n < 4; ++n) player_.at(random.below(140), launch);
                    const bool ab = random.below(2) == 0;
                    if (!player_.run(40 + random.below(40), ab ? 99 : 0, ab ? 0 : 99) ||
                        !player_.run(60, ab ? 0 : 99, ab ? 99 : 0) || !player_.settle())
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
