// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/coverage/coverage_model.h"

#include <algorithm>
#include <bit>
#include <ostream>

namespace contraflow::lane_reversal {

using link::direction;
using of = cover_point;

coverage_model::view coverage_model::look(const reference& ref) const {
    view v;
    v.out = ref.out();
    v.holding = ref.holding();
    if (v.out.pending != 0)
        v.turn = turn_state::sync;
    else if (ref.decision_lane_turns())
        v.turn = turn_state::under_way;
    v.repairs = ref.repairs();
    v.turns = ref.turns();
    v.applies = ref.applies();
    v.settled = ref.settled();
    v.holds_off = ref.holds_off();
    v.deciding = ref.will_decide();
    v.window = ref.window();
    v.decides = static_cast<unsigned>(ref.decides());
    v.decided = ref.decided();
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
    return (v.turning >> lane & 1) != 0 ? lane_state::turnaround : lane_state::serving;
}

void coverage_model::lanes(const view& now) {
    if ((now.turning | now.failed | last_.turning | last_.failed) == 0) {
        hit(of::lane_serving);
        if (now.out.a_serve != last_.out.a_serve) hit(of::lane_serving_to_serving);
        return;
    }
    for (unsigned i = 0; i < lanes_; ++i) {
        const lane_state was = state(last_, i), is = state(now, i);
        constexpr std::array states{of::lane_serving, of::lane_draining, of::lane_turnaround, of::lane_failed};
        hit(states[static_cast<std::size_t>(is)]);
        const auto arc = [&](lane_state from, lane_state to, of point) {
            if (was == from && is == to) hit(point);
        };
        const bool back = (now.went_back >> i & 1) != 0;
        if (back && was == lane_state::draining && is == lane_state::draining) hit(of::lane_draining_to_draining);
        if (back && was == lane_state::turnaround && is == lane_state::draining) hit(of::lane_turnaround_to_draining);
        arc(lane_state::serving, lane_state::draining, of::lane_serving_to_draining);
        arc(lane_state::draining, lane_state::turnaround, of::lane_draining_to_turnaround);
        arc(lane_state::turnaround, lane_state::serving, of::lane_turnaround_to_serving);
        arc(lane_state::draining, lane_state::serving, of::lane_draining_to_serving);
        arc(lane_state::serving, lane_state::turnaround, of::lane_serving_to_turnaround);
        arc(lane_state::serving, lane_state::failed, of::lane_serving_to_failed);
        arc(lane_state::draining, lane_state::failed, of::lane_draining_to_failed);
        arc(lane_state::turnaround, lane_state::failed, of::lane_turnaround_to_failed);
        if (was == lane_state::serving && is == lane_state::serving &&
            (last_.out.a_serve >> i & 1) != (now.out.a_serve >> i & 1))
            hit(of::lane_serving_to_serving);
    }
}

void coverage_model::turns(const inputs& before, const view& now) {
    constexpr std::array states{of::turn_idle, of::turn_sync, of::turn_under_way};
    hit(states[static_cast<std::size_t>(now.turn)]);
    const auto arc = [&](turn_state from, turn_state to, of point) {
        if (last_.turn == from && now.turn == to) hit(point);
    };
    arc(turn_state::idle, turn_state::sync, of::turn_idle_to_sync);
    arc(turn_state::idle, turn_state::under_way, of::turn_idle_to_under_way);
    arc(turn_state::sync, turn_state::under_way, of::turn_sync_to_under_way);
    arc(turn_state::sync, turn_state::idle, of::turn_sync_to_idle);
    arc(turn_state::under_way, turn_state::idle, of::turn_under_way_to_idle);
    if (last_.turn == turn_state::sync && now.turn == turn_state::idle) {
        if (before.launch)
            hit(of::turn_drop_in_sync_by_launch);
        else if (last_.repairs)
            hit(of::turn_drop_in_sync_by_repair);
        else
            hit(of::turn_sync_ends_without_spare);
    }
    if (before.launch && last_.out.decision != 0) hit(of::turn_drop_at_decision_by_launch);
    const bool drops = last_.deciding && last_.out.decision == 0;
    if (drops && before.launch) hit(of::turn_drop_while_deciding_by_launch);
    if (drops && !before.launch && last_.repairs) hit(of::turn_drop_while_deciding_by_repair);
    if (last_.decided && !last_.turns && !before.launch && !last_.repairs &&
        last_.holding.sync_latency == decision_cycles)
        hit(of::turn_decided_without_spare);
}

void coverage_model::launches(const inputs& before, const inputs& in, const view& now) {
    if (before.launch) {
        if (!last_.out.running) hit(of::launch_first);
        if (last_.turning == 0 && last_.turn == turn_state::idle) hit(of::launch_idle);
        if (last_.turn == turn_state::sync) hit(of::launch_sync);
        if (last_.draining != 0) hit(of::launch_draining);
        if ((last_.turning & ~last_.draining) != 0) hit(of::launch_turnaround);
        if (std::popcount(last_.turning) > std::popcount(now.turning) && last_.failed == now.failed)
            hit(of::launch_join);
        if (last_.out.window_end) hit(of::launch_window_end);
        if (last_.out.decision != 0) hit(of::launch_with_decision);
        const std::uint32_t left = now.turning & ~last_.turning;
        if (std::popcount(left) > 1) hit(of::launch_moves_many);
        const auto working = static_cast<unsigned>(lanes_ - now.out.failed);
        if (working % 2 == 1) hit(of::launch_odd_lanes);
        if (now.failed != last_.failed) hit(of::launch_with_fault);
        if (now.went_back != 0) hit(of::launch_sends_back);
        if ((last_.turning & now.turning & ~now.went_back) != 0) hit(of::launch_keeps_turning);
        // It would have joined, but turns back in the same cycle.
        if ((now.went_back & last_.joining) != 0) hit(of::launch_join);
    }
    if (before.launch && in.launch) hit(of::launch_after_launch);
}

void coverage_model::resets(const inputs& in, const view& now) {
    if (in.rst_n || in_reset_) return;
    if (!now.out.running)
        hit(of::reset_before_launch);
    else if (now.turning == 0 && now.turn == turn_state::idle)
        hit(of::reset_idle);
    if (now.turn == turn_state::sync) hit(of::reset_sync);
    if (now.deciding) hit(of::reset_deciding);
    if (now.draining != 0) hit(of::reset_draining);
    if ((now.turning & ~now.draining) != 0) hit(of::reset_turnaround);
    if (in.psel && in.penable) hit(of::reset_in_access);
}

void coverage_model::faults(const inputs& before, const inputs& in, const view& now) {
    if (!now.out.running) {
        if (in.fault != 0 && !in.launch) hit(of::fault_before_launch);
        return;
    }
    const std::uint32_t fresh = now.failed & ~last_.failed;
    if ((before.fault & last_.failed) != 0) hit(of::fault_again);
    if (last_.repairs && !before.launch) {
        if (now.out.a_serve < last_.out.a_serve && (now.turning & last_.out.a_serve) != 0) hit(of::repair_to_ba);
        if (now.out.b_serve != last_.out.b_serve && (now.turning & last_.out.b_serve) != 0) hit(of::repair_to_ab);
        if (last_.failed == 0) hit(of::repair_after_min_lanes);
        if (last_.out.window_end) hit(of::repair_blocks_decision);
    }
    if (fresh == 0) return;
    if (!last_.out.running) {
        hit(of::fault_absent);
        return;
    }
    if ((fresh & last_.out.a_serve) != 0) hit(of::fault_serving_ab);
    if ((fresh & last_.out.b_serve) != 0) hit(of::fault_serving_ba);
    if ((fresh & last_.turning) != 0) hit(of::fault_turning);
    if (last_.turns && now.out.turning == last_.out.turning) hit(of::fault_chosen_to_leave);
    if (std::popcount(fresh) > 1) hit(of::fault_several);
    if (last_.deciding && !before.launch && !last_.repairs) hit(of::fault_while_deciding);
}

void coverage_model::windows(const view& now) {
    const outputs& o = now.out;
    if (!o.window_end) return;
    const auto limit = [&](std::uint64_t capacity) { return now.holding.threshold * capacity; };
    const auto saturated = [&](std::uint64_t busy, std::uint64_t capacity) {
        return capacity > 0 && 100 * busy >= limit(capacity);
    };
    const auto &busy = now.window.busy, &capacity = now.window.capacity;
    const unsigned decides = now.decides;
    const bool ab = saturated(busy.ab, capacity.ab), ba = saturated(busy.ba, capacity.ba);
    const bool blocked = now.turning != 0 || now.repairs || o.pending != 0 || now.decided;
    const direction giver = ab ? direction::ba : direction::ab;
    const bool spare = (giver == direction::ab ? o.lanes_ab : o.lanes_ba) > now.holding.min_lanes;
    if (decides == 1) hit(of::window_decides_ab);
    if (decides == 2) hit(of::window_decides_ba);
    if (!ab && !ba) hit(of::window_none_saturated);
    if (ab && ba) hit(of::window_both_saturated);
    if (ab != ba && !blocked && now.holding.enable && !spare) hit(of::window_min_lanes);
    if (ab != ba && !blocked && !now.holding.enable && spare) hit(of::window_disabled);
    if (ab != ba && now.turning != 0 && spare) hit(of::window_while_turning);
    if (ab != ba && o.pending != 0 && spare) hit(of::window_while_pending);
    if (ab != ba && !blocked && spare && now.holding.enable && now.holding.guarded)
        hit(decides == 0 ? of::window_guard_blocks : of::window_guard_passes);
    if (now.holding.sample_time == decision_cycles) hit(of::window_shortest);
    if (o.decision != 0) hit(of::window_end_with_decision);
    if (capacity.ab > 0 && busy.ab > 0 && 100 * busy.ab == limit(capacity.ab)) hit(of::window_exactly_threshold);
    if (busy.ab < capacity.ab && !ab && saturated(busy.ab + 1, capacity.ab)) hit(of::window_one_below_threshold);
    if (decides != 0 && busy.ab + busy.ba + 1 + capacity.ab / 50 >= capacity.ab + capacity.ba)
        hit(of::window_full_load);
    if (decides != 0 && last_.turning != 0) hit(of::window_join_in_last_cycle);
    if (capacity.ab == 0 || capacity.ba == 0) hit(of::window_no_lanes_in_a_direction);
    const unsigned side = ab == ba ? 0 : ab ? 1 : 2;
    if (side != 0 && saturated_before_ != 0 && side != saturated_before_) hit(of::window_demand_flips);
    saturated_before_ = side;
    if (decides != 0 && last_decision_ != 0 && decides != last_decision_) hit(of::back_turns_around);
    if (decides != 0) last_decision_ = decides;
    // If only one side has demand and nothing prevents it, a lane turns by the second such window.
    windows_one_sided_ = side != 0 && spare && now.holding.enable && !now.holding.guarded ? windows_one_sided_ + 1 : 0;
    if (windows_one_sided_ > 0 && decides != 0) {
        hit(of::back_moves_within_two_windows);
        windows_one_sided_ = 0;
    }
}

void coverage_model::bus(const inputs& before, const inputs& in, const view& now) {
    if (last_.applies && !last_.settled && now.out.running) {
        if (before.launch)
            hit(of::settings_apply_launch);
        else
            hit(of::settings_apply_window);
        if (!(last_.holding == now.holding)) hit(of::settings_change_takes_effect);
    }
    if (last_.applies && !last_.settled && !last_.out.running && !(last_.holding == now.holding))
        hit(of::settings_apply_before_launch);
    if (now.out.window_end && !now.applies && !now.settled) hit(of::settings_held_back);
    if (now.out.window_end && now.repairs && !now.settled && now.turning == 0 && now.turn != turn_state::sync &&
        !in.launch)
        hit(of::settings_wait_for_repair);
    if (now.holds_off) hit(of::settings_hold_off_decision);
    if (now.out.irq) hit(of::events_irq);
    if (before.psel && before.penable && in.psel) hit(of::bus_back_to_back);
    if (!in.psel || !in.penable) return;
    const bool known = in.paddr % 4 == 0 && in.paddr <= 0x54;
    hit(in.pwrite ? of::bus_write : of::bus_read);
    if (!known) hit(in.paddr % 4 == 0 ? of::bus_refused_address : of::bus_unaligned);
    const bool read_only = known && (in.paddr == 0 || (in.paddr >= 0x24 && in.paddr <= 0x30) || in.paddr >= 0x48);
    if (in.pwrite && known && now.out.pslverr) hit(read_only ? of::bus_refused_read_only : of::bus_refused_range);
    const bool setting = in.pwrite && !now.out.pslverr && in.paddr >= 0x08 && in.paddr <= 0x20;
    if (setting && now.out.turning != 0) hit(of::settings_write_while_turning);
    if (setting && now.out.pending != 0) hit(of::settings_write_while_pending);
    if (setting && now.deciding) hit(of::settings_write_while_deciding);
    if (setting && now.applies && now.out.running) hit(of::settings_write_in_apply);
    if (in.pwrite && in.paddr == 0x34 && (in.pwdata & 1) != 0 && now.turns) hit(of::events_cleared_with_event);
    if (in.pwrite && in.paddr == 0x40 && now.out.totals) hit(of::events_count_cleared_with_event);
    if (!in.pwrite && in.paddr == 0x3c && now.out.prdata == 0xffff) hit(of::events_turns_saturate);
    if (!in.pwrite && in.paddr == 0x40 && now.out.prdata == 0xffff) hit(of::events_windows_saturate);
}

void coverage_model::observe(const inputs& before, const inputs& in, const reference& ref) {
    const view now = look(ref);
    if (!in.rst_n) {
        // The state of the block in the previous cycle.
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
        if (last_.turns) hit(of::events_turn);
        if (last_.out.running && last_.failed != now.failed) hit(of::events_fault);
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

}  // namespace contraflow::lane_reversal
