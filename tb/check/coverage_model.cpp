// SPDX-License-Identifier: Apache-2.0
#include "check/coverage_model.h"

#include <algorithm>
#include <bit>
#include <ostream>

namespace contraflow::check {

using link::direction;
using P = cover_point;

coverage_model::view coverage_model::look(const reference& ref) const {
    view v;
    v.out = ref.out();
    v.holding = ref.holding();
    if (v.out.pending != 0)
        v.turn = turn_state::exchange;
    else if (ref.decision_lane_turns())
        v.turn = turn_state::under_way;
    v.repairs = ref.repairs();
    v.turns = ref.turns();
    v.applies = ref.applies();
    v.settled = ref.settled();
    v.turning = ref.lanes().turning();
    v.failed = ref.lanes().failed();
    v.draining = ref.lanes().draining();
    v.joining = ref.lanes().joining();
    v.went_back = ref.lanes().went_back();
    return v;
}

coverage_model::lane_state coverage_model::state(const view& v, unsigned lane) const {
    if ((v.failed >> lane & 1) != 0) return lane_state::failed;
    if ((v.draining >> lane & 1) != 0) return lane_state::draining;
    return (v.turning >> lane & 1) != 0 ? lane_state::silent : lane_state::serving;
}

void coverage_model::lanes(const view& now) {
    using L = lane_state;
    if ((now.turning | now.failed | last_.turning | last_.failed) == 0) {
        hit(P::lane_serving);
        if (now.out.a_serve != last_.out.a_serve) hit(P::lane_serving_to_serving);
        return;
    }
    for (unsigned i = 0; i < lanes_; ++i) {
        const L was = state(last_, i), is = state(now, i);
        constexpr std::array states{P::lane_serving, P::lane_draining, P::lane_silent, P::lane_failed};
        hit(states[static_cast<std::size_t>(is)]);
        const auto arc = [&](L from, L to, P point) {
            if (was == from && is == to) hit(point);
        };
        const bool back = (now.went_back >> i & 1) != 0;
        if (back && was == L::draining && is == L::draining) hit(P::lane_draining_to_draining);
        if (back && was == L::silent && is == L::draining) hit(P::lane_silent_to_draining);
        arc(L::serving, L::draining, P::lane_serving_to_draining);
        arc(L::draining, L::silent, P::lane_draining_to_silent);
        arc(L::silent, L::serving, P::lane_silent_to_serving);
        arc(L::draining, L::serving, P::lane_draining_to_serving);
        arc(L::serving, L::silent, P::lane_serving_to_silent);
        arc(L::serving, L::failed, P::lane_serving_to_failed);
        arc(L::draining, L::failed, P::lane_draining_to_failed);
        arc(L::silent, L::failed, P::lane_silent_to_failed);
        if (was == L::serving && is == L::serving && (last_.out.a_serve >> i & 1) != (now.out.a_serve >> i & 1))
            hit(P::lane_serving_to_serving);
    }
}

void coverage_model::turns(const inputs& before, const view& now) {
    using T = turn_state;
    constexpr std::array states{P::turn_idle, P::turn_exchange, P::turn_under_way};
    hit(states[static_cast<std::size_t>(now.turn)]);
    const auto arc = [&](T from, T to, P point) {
        if (last_.turn == from && now.turn == to) hit(point);
    };
    arc(T::idle, T::exchange, P::turn_idle_to_exchange);
    arc(T::idle, T::under_way, P::turn_idle_to_under_way);
    arc(T::exchange, T::under_way, P::turn_exchange_to_under_way);
    arc(T::exchange, T::idle, P::turn_exchange_to_idle);
    arc(T::under_way, T::idle, P::turn_under_way_to_idle);
    if (last_.turn == T::under_way && last_.turns) hit(P::turn_under_way_to_under_way);
    arc(T::under_way, T::exchange, P::turn_under_way_to_exchange);
    if (last_.turn == T::exchange && now.turn == T::idle) {
        if (before.launch)
            hit(P::turn_drop_in_exchange_by_launch);
        else if (last_.repairs)
            hit(P::turn_drop_in_exchange_by_repair);
        else
            hit(P::turn_exchange_ends_without_spare);
    }
    if (before.launch && last_.out.decision != 0) hit(P::turn_drop_at_decision_by_launch);
}

void coverage_model::launches(const inputs& before, const inputs& in, const view& now) {
    if (before.launch) {
        if (!last_.out.running) hit(P::launch_first);
        if (last_.turning == 0 && last_.turn == turn_state::idle) hit(P::launch_idle);
        if (last_.turn == turn_state::exchange) hit(P::launch_exchange);
        if (last_.draining != 0) hit(P::launch_draining);
        if ((last_.turning & ~last_.draining) != 0) hit(P::launch_silent);
        if (std::popcount(last_.turning) > std::popcount(now.turning) && last_.failed == now.failed)
            hit(P::launch_join);
        if (last_.out.window_end) hit(P::launch_window_end);
        if (last_.out.decision != 0) hit(P::launch_with_decision);
        const std::uint32_t left = now.turning & ~last_.turning;
        if (std::popcount(left) > 1) hit(P::launch_moves_many);
        const auto working = static_cast<unsigned>(lanes_ - now.out.failed);
        if (working % 2 == 1) hit(P::launch_odd_lanes);
        if (now.failed != last_.failed) hit(P::launch_with_fault);
        if (now.went_back != 0) hit(P::launch_sends_back);
        if ((last_.turning & now.turning & ~now.went_back) != 0) hit(P::launch_keeps_turning);
        // It would have joined, but turns around in that very cycle.
        if ((now.went_back & last_.joining) != 0) hit(P::launch_join);
    }
    if (before.launch && in.launch) hit(P::launch_after_launch);
}

void coverage_model::resets(const inputs& in, const view& now) {
    if (in.rst_n || in_reset_) return;
    if (!now.out.running)
        hit(P::reset_before_launch);
    else if (now.turning == 0 && now.turn == turn_state::idle)
        hit(P::reset_idle);
    if (now.turn == turn_state::exchange) hit(P::reset_exchange);
    if (now.draining != 0) hit(P::reset_draining);
    if ((now.turning & ~now.draining) != 0) hit(P::reset_silent);
    if (in.psel && in.penable) hit(P::reset_in_access);
}

void coverage_model::faults(const inputs& before, const inputs& in, const view& now) {
    if (!now.out.running) {
        if (in.fault != 0 && !in.launch) hit(P::fault_before_launch);
        return;
    }
    const std::uint32_t fresh = now.failed & ~last_.failed;
    if ((before.fault & last_.failed) != 0) hit(P::fault_again);
    if (last_.repairs && !before.launch) {
        if (now.out.a_serve < last_.out.a_serve && (now.turning & last_.out.a_serve) != 0) hit(P::repair_to_ba);
        if (now.out.b_serve != last_.out.b_serve && (now.turning & last_.out.b_serve) != 0) hit(P::repair_to_ab);
        if (last_.failed == 0) hit(P::repair_after_min_lanes);
        if (last_.out.window_end) hit(P::repair_blocks_decision);
    }
    if (fresh == 0) return;
    if (!last_.out.running) {
        hit(P::fault_absent);
        return;
    }
    if ((fresh & last_.out.a_serve) != 0) hit(P::fault_serving_ab);
    if ((fresh & last_.out.b_serve) != 0) hit(P::fault_serving_ba);
    if ((fresh & last_.turning) != 0) hit(P::fault_turning);
    if (last_.turns && now.out.turning == last_.out.turning) hit(P::fault_chosen_to_leave);
    if (std::popcount(fresh) > 1) hit(P::fault_several);
}

void coverage_model::windows(const view& now) {
    const outputs& o = now.out;
    if (!o.window_end) return;
    const auto limit = [&](std::uint64_t capacity) { return now.holding.threshold * capacity; };
    const auto saturated = [&](std::uint64_t busy, std::uint64_t capacity) {
        return capacity > 0 && 100 * busy >= limit(capacity);
    };
    const bool ab = saturated(o.busy_ab, o.capacity_ab), ba = saturated(o.busy_ba, o.capacity_ba);
    const bool blocked = now.turning != 0 || now.repairs || o.pending != 0;
    const direction giver = ab ? direction::ba : direction::ab;
    const bool spare = (giver == direction::ab ? o.lanes_ab : o.lanes_ba) > now.holding.min_lanes;
    if (o.decision == 1) hit(P::window_decides_ab);
    if (o.decision == 2) hit(P::window_decides_ba);
    if (!ab && !ba) hit(P::window_none_saturated);
    if (ab && ba) hit(P::window_both_saturated);
    if (ab != ba && !blocked && now.holding.enable && !spare) hit(P::window_min_lanes);
    if (ab != ba && !blocked && !now.holding.enable && spare) hit(P::window_disabled);
    if (ab != ba && now.turning != 0 && spare) hit(P::window_while_turning);
    if (ab != ba && o.pending != 0 && spare) hit(P::window_while_pending);
    if (ab != ba && !blocked && spare && now.holding.enable && now.holding.guarded)
        hit(o.decision == 0 ? P::window_guard_blocks : P::window_guard_passes);
    if (now.holding.sample_time == 1) hit(P::window_of_one_cycle);
    if (o.capacity_ab > 0 && o.busy_ab > 0 && 100 * o.busy_ab == limit(o.capacity_ab)) hit(P::window_exactly_threshold);
    if (o.busy_ab < o.capacity_ab && !ab && saturated(o.busy_ab + 1, o.capacity_ab)) hit(P::window_one_below_threshold);
    if (o.decision != 0 && o.busy_ab + o.busy_ba + 1 + o.capacity_ab / 50 >= o.capacity_ab + o.capacity_ba)
        hit(P::window_full_load);
    if (o.decision != 0 && last_.turning != 0) hit(P::window_join_in_last_cycle);
    if (o.capacity_ab == 0 || o.capacity_ba == 0) hit(P::window_no_lanes_in_a_direction);
    const unsigned side = ab == ba ? 0 : ab ? 1 : 2;
    if (side != 0 && saturated_before_ != 0 && side != saturated_before_) hit(P::window_demand_flips);
    saturated_before_ = side;
    if (o.decision != 0 && last_decision_ != 0 && o.decision != last_decision_) hit(P::back_turns_around);
    if (o.decision != 0) last_decision_ = o.decision;
    // With one side alone in demand and nothing in the way, the second such window at the latest moves a lane.
    windows_one_sided_ = side != 0 && spare && now.holding.enable && !now.holding.guarded ? windows_one_sided_ + 1 : 0;
    if (windows_one_sided_ > 0 && o.decision != 0) {
        hit(P::back_moves_within_two_windows);
        windows_one_sided_ = 0;
    }
}

void coverage_model::bus(const inputs& before, const inputs& in, const view& now) {
    if (last_.applies && !last_.settled && now.out.running) {
        if (before.launch)
            hit(P::settings_apply_launch);
        else
            hit(P::settings_apply_window);
        if (!(last_.holding == now.holding)) hit(P::settings_change_takes_effect);
    }
    if (last_.applies && !last_.settled && !last_.out.running && !(last_.holding == now.holding))
        hit(P::settings_apply_before_launch);
    if (now.out.window_end && !now.applies && !now.settled) hit(P::settings_held_back);
    if (now.out.irq) hit(P::events_irq);
    if (before.psel && before.penable && in.psel) hit(P::bus_back_to_back);
    if (!in.psel || !in.penable) return;
    const bool known = in.paddr % 4 == 0 && in.paddr <= 0x54;
    hit(in.pwrite ? P::bus_write : P::bus_read);
    if (!known) hit(in.paddr % 4 == 0 ? P::bus_refused_address : P::bus_unaligned);
    const bool read_only = known && (in.paddr == 0 || (in.paddr >= 0x24 && in.paddr <= 0x30) || in.paddr >= 0x48);
    if (in.pwrite && known && now.out.pslverr) hit(read_only ? P::bus_refused_read_only : P::bus_refused_range);
    const bool setting = in.pwrite && !now.out.pslverr && in.paddr >= 0x08 && in.paddr <= 0x20;
    if (setting && now.out.turning != 0) hit(P::settings_write_while_turning);
    if (setting && now.out.pending != 0) hit(P::settings_write_while_pending);
    if (setting && now.applies && now.out.running) hit(P::settings_write_in_apply);
    if (in.pwrite && in.paddr == 0x34 && (in.pwdata & 1) != 0 && now.turns) hit(P::events_cleared_with_event);
    if (in.pwrite && in.paddr == 0x40 && now.out.window_end) hit(P::events_count_cleared_with_event);
    if (!in.pwrite && in.paddr == 0x3c && now.out.prdata == 0xffff) hit(P::events_turns_saturate);
    if (!in.pwrite && in.paddr == 0x40 && now.out.prdata == 0xffff) hit(P::events_windows_saturate);
}

void coverage_model::observe(const inputs& before, const inputs& in, const reference& ref) {
    const view now = look(ref);
    if (!in.rst_n) {
        // What the block was in: the view of the cycle before.
        if (have_last_) resets(in, last_);
        in_reset_ = true;
        have_last_ = false;
        return;
    }
    in_reset_ = false;
    if (have_last_) {
        lanes(now);
        turns(before, now);
        launches(before, in, now);
        faults(before, in, now);
        if (last_.turns) hit(P::events_turn);
        if (last_.out.running && last_.failed != now.failed) hit(P::events_fault);
        bus(before, in, now);
        windows(now);
    }
    if (now.out.turning == 0 && now.out.failed == 0 && now.out.lanes_ab < splits_.size()) ++splits_[now.out.lanes_ab];
    last_ = now;
    have_last_ = true;
}

void coverage_model::write(std::ostream& to) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) to << cover_names[i] << ' ' << counts_[i] << '\n';
    for (unsigned i = 1; i < splits_.size(); ++i) to << "split." << lanes_ / 2 << '.' << i << ' ' << splits_[i] << '\n';
}

}  // namespace contraflow::check
