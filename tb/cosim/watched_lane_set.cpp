// SPDX-License-Identifier: Apache-2.0
#include "cosim/watched_lane_set.h"

#include <utility>

#include <fmt/format.h>

namespace contraflow::cosim {

using link::by_direction;
using link::direction;

watched_lane_set::watched_lane_set(std::string name, const link::lane_spec& s, std::uint64_t ticks_a_cycle,
                                   lane_recording* record, std::optional<level_difference>* difference,
                                   const lane_core_factory& core)
    : name_(std::move(name)),
      rtl_(s, ticks_a_cycle, core),
      record_(record),
      difference_(difference) {
    if (difference != nullptr) follower_.emplace(name_, s, ticks_a_cycle);
    if (record != nullptr) record->ticks_a_cycle = ticks_a_cycle;
    tell({lane_event::what::start, {}, 0, 0, 0});
}

void watched_lane_set::tell(const lane_event& e) {
    if (record_ != nullptr) record_->events.push_back(e);
    if (follower_) follower_->player.add(e);
}

template <class Play> void watched_lane_set::follow(const Play& play) {
    if (!follower_ || *difference_) return;
    try {
        play();
    } catch (const level_difference& d) { *difference_ = d; }
}

void watched_lane_set::carried(direction d, const link::lane_burst& b) {
    rtl_.carried(d, b);
    if (record_ != nullptr) record_->add(d, b);
    if (follower_) follower_->player.add(d, b);
}

link::lane_window watched_lane_set::close_window() {
    const link::lane_window w = rtl_.close_window();
    follow([&] {
        follower_->player.play(w.end);
        compare(w);
    });
    return w;
}

// A phit may be put on the lanes a cycle after it was completed. If a window ends between, it counts in the next one.
// The model's window is compared: the block shows its own later, when lockstep compares it with the model's.
void watched_lane_set::compare(const link::lane_window& w) {
    const outputs& o = follower_->both.view();
    const link::lane_window& model = follower_->both.window();
    const auto waiting = follower_->player.waiting();
    const auto owed = std::exchange(follower_->owed, waiting);
    const by_direction<std::uint64_t> busy{model.busy.ab + waiting.ab - owed.ab, model.busy.ba + waiting.ba - owed.ba};
    const by_direction<unsigned> lanes{o.lanes_ab, o.lanes_ba};
    if (o.window_end && model.end == w.end && lanes == w.lanes && busy == w.busy && model.capacity == w.capacity &&
        model.decision == w.decision)
        return;
    const auto text = [](const by_direction<unsigned>& l, const by_direction<std::uint64_t>& b,
                         const by_direction<std::uint64_t>& c, link::lane_decision d) {
        return fmt::format("lanes {} + {}, busy {} and {} of {} and {} lane-cycles, decision {}", l.ab, l.ba, b.ab,
                           b.ba, c.ab, c.ba, link::name(d));
    };
    throw level_difference(
        name_, w.end - 1,
        fmt::format(
            "{}: at the window's end in cycle {} RTL and model, played in every cycle, have {}{}; the link has {}",
            name_, w.end - 1, text(lanes, busy, model.capacity, model.decision),
            o.window_end ? "" : ", and no window's end", text(w.lanes, w.busy, w.capacity, w.decision)));
}

void watched_lane_set::launch(std::uint64_t t) {
    rtl_.launch(t);
    follow([&] { follower_->player.play(t); });
    if (follower_) follower_->owed = {};
    tell({lane_event::what::launch, {}, t, 0, 0});
}

bool watched_lane_set::fail_lane(direction d, std::uint64_t t) {
    const std::uint32_t before = rtl_.failing();
    if (!rtl_.fail_lane(d, t)) return false;
    tell({lane_event::what::fault, d, t, 0, rtl_.failing() & ~before});
    return true;
}

void watched_lane_set::reset(std::uint64_t t) {
    follow([&] { follower_->player.play(t); });
    if (follower_) follower_->owed = {};
    const unsigned failed = rtl_.state().failed;
    rtl_.reset(t);
    tell({lane_event::what::start, {}, t, failed, 0});
}

// Compares the cycle that was played last. The link's lanes stay as they are until their next change.
void watched_lane_set::compare_lanes() {
    const std::uint64_t cycle = follower_->both.cycle();
    const link::lane_state& link = rtl_.state();
    if (link.next_change <= cycle) return;  // the link is not there yet
    const outputs& o = follower_->both.view();
    const unsigned failed = follower_->both.failed();
    if (by_direction<unsigned>{o.lanes_ab, o.lanes_ba} == link.lanes && o.turning == link.turning &&
        failed == link.failed)
        return;
    throw level_difference(
        name_, cycle,
        fmt::format(
            "{}: in cycle {} the RTL, clocked in every cycle, has lanes {} + {}, {} turning, {} failed; the link "
            "has lanes {} + {}, {} turning, {} failed",
            name_, cycle, o.lanes_ab, o.lanes_ba, o.turning, failed, link.lanes.ab, link.lanes.ba, link.turning,
            link.failed));
}

// Compares the lanes that the link has had until now, before they change.
void watched_lane_set::advance(std::uint64_t t) {
    follow([&] {
        if (follower_->player.next() >= t) return;
        follower_->player.play(t);
        compare_lanes();
    });
    rtl_.advance(t);
}

// A lane may turn or fail after the last window with traffic. Cycle t has begun, but nothing is issued in it.
void watched_lane_set::finish(std::uint64_t t) {
    follow([&] {
        follower_->player.play(t + 1);
        compare_lanes();
        // The block has still to show what it has decided.
        follower_->player.play(t + 1 + decision_cycles);
    });
}

}  // namespace contraflow::cosim
