// SPDX-License-Identifier: Apache-2.0
#include "link/lanes/predictive_policy.h"

#include <algorithm>
#include <utility>

namespace contraflow::link {
namespace {

constexpr std::uint64_t decay_windows = 64;  // windows without load

}  // namespace

predictive_policy::predictive_policy(const lane_spec& s)
    : min_lanes_(s.min_lanes),
      saturation_(s.saturation),
      window_(s.sample_time.count) {}

void predictive_policy::load::add(std::int64_t now) {
    smooth += (now - smooth) / 4;
    foreseen = std::max<std::int64_t>(0, smooth + (now - last) / 2);
    last = now;
}

lane_decision predictive_policy::window_ended(const window_sample& s) {
    for (const auto d : both_directions) state_.loads[d].add(static_cast<std::int64_t>(s.busy[d] * lane / window_));
    if (s.turning) return lane_decision::none;
    if (saturation_.of(s, direction::ab) && saturation_.of(s, direction::ba)) return trial(s);
    state_.saturated = 0;
    const auto wanting = saturation_.only(s);
    if (std::exchange(state_.trying, false) && wanting == opposite(state_.tried))
        state_.patience = std::min(2 * state_.patience, longest_patience);
    if (!wanting) return by_load(s);
    return may_give(s, opposite(*wanting)) ? towards(*wanting) : lane_decision::none;
}

void predictive_policy::quiet_windows(std::uint64_t windows) {
    for (std::uint64_t i = std::min(windows, decay_windows); i > 0; --i)
        for (const auto d : both_directions) state_.loads[d].add(0);
    state_.saturated = 0;
    state_.trying = false;
}

void predictive_policy::kernel_launched(std::uint64_t) { state_ = {}; }

lane_decision predictive_policy::trial(const window_sample& s) {
    const direction poor = s.lanes.ab < s.lanes.ba ? direction::ab : direction::ba;
    if (s.lanes[poor] + 1 >= s.lanes[opposite(poor)] || !may_give(s, opposite(poor))) return lane_decision::none;
    ++state_.saturated;
    // The last trial was right, so the next lane follows at once.
    if (state_.trying) {
        state_.patience = first_patience;
        state_.saturated = first_patience;
    }
    state_.trying = state_.saturated >= state_.patience;
    if (!state_.trying) return lane_decision::none;
    state_.saturated = 0;
    state_.tried = poor;
    return towards(poor);
}

lane_decision predictive_policy::by_load(const window_sample& s) const {
    if (s.busy.ab + s.busy.ba == 0) return lane_decision::none;
    for (const auto d : both_directions)
        if (may_give(s, opposite(d)) && lessens(s, d)) return towards(d);
    return lane_decision::none;
}

// Load over lanes is a/A + b/B = (a B + b A) / (A B); with one lane turned it must be below 31/32 of that.
bool predictive_policy::lessens(const window_sample& s, direction to) const {
    const std::int64_t a = state_.loads[to].foreseen, b = state_.loads[opposite(to)].foreseen;
    const std::int64_t lanes_a = s.lanes[to], lanes_b = s.lanes[opposite(to)];
    const std::int64_t now = a * lanes_b + b * lanes_a;
    const std::int64_t then = a * (lanes_b - 1) + b * (lanes_a + 1);
    return 32 * then * lanes_a * lanes_b < 31 * now * (lanes_a + 1) * (lanes_b - 1);
}

}  // namespace contraflow::link
