// SPDX-License-Identifier: Apache-2.0
// Assertions about the block, seen from outside: conservation, windows, decisions, settings. It counts windows and
// traffic by itself, and compares. It is not synthesised. Timing: all inputs belong to this cycle; leave_i, go_*_i and
// repair_i take effect with the next cycle.
`include "cf_assert.svh"

module cf_lane_checks #(
  parameter int unsigned LanesPerDirection = 8,
  parameter int unsigned TimeWidth = 20,   // bits of sample_time_i
  parameter int unsigned PathWidth = 12,   // bits of sync_latency_i
  parameter int unsigned Latency = cf_lane_pkg::DecisionCycles,  // from a window's last cycle to its decision
  localparam int unsigned Lanes = 2 * LanesPerDirection,
  localparam int unsigned LaneWidth = $clog2(Lanes + 1)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   launch_i,
  // settings
  input logic                   enable_i,
  input logic                   guarded_i,
  input logic [TimeWidth-1:0]   sample_time_i,
  input logic [PathWidth-1:0]   sync_latency_i,
  input logic [6:0]             threshold_i,
  input logic [LaneWidth-1:0]   min_lanes_i,
  // the ends
  input logic [Lanes-1:0]       a_valid_i,
  input logic [Lanes-1:0]       a_serve_i,
  input logic [Lanes-1:0]       b_valid_i,
  input logic [Lanes-1:0]       b_serve_i,
  // the lanes
  input logic                   running_i,
  input logic [LaneWidth-1:0]   lanes_ab_i,
  input logic [LaneWidth-1:0]   lanes_ba_i,
  input logic [LaneWidth-1:0]   turning_i,
  input logic [LaneWidth-1:0]   failed_i,
  input logic [LaneWidth-1:0]   have_ab_i,  // lanes that serve A->B or turn to it
  input logic [Lanes-1:0]       lane_turns_i,
  input logic [Lanes-1:0]       lane_failed_i,
  input logic [Lanes-1:0]       lane_to_ba_i,  // the direction served, or turned to
  input logic [LaneWidth-1:0]   half_i,     // of the lanes that have not failed
  input logic                   odd_i,
  input logic [Lanes-1:0]       leave_i,
  input logic [Lanes-1:0]       back_i,
  input logic [Lanes-1:0]       fail_i,
  // the turn
  input logic                   window_end_i,
  input logic [TimeWidth-1:0]   cycle_i,
  input cf_lane_pkg::decision_e wish_i,
  input logic                   deciding_i,  // a window has ended, and decision_i is still to come, or comes now
  input cf_lane_pkg::decision_e decision_i,
  input logic                   decided_i,   // a decision, and it was not dropped
  input cf_lane_pkg::decision_e pending_i,
  input logic [PathWidth-1:0]   sync_left_i,
  input logic                   under_way_i,
  input logic                   repair_i,
  input logic                   apply_i,    // written settings take effect with the next cycle
  input logic                   apply_times_i,  // and times with lanes that leave with it
  input logic                   settled_i,  // no written setting waits
  input logic                   go_ab_i,
  input logic                   go_ba_i,
  input logic                   totals_i     // the last window's totals
);

  logic                 decided, pending, calm, raised, raised_q, short_of_ab, short_of_ba;
  logic [TimeWidth-1:0] since_q;      // cycles since a window's last one; 0 when its decision has been shown
  logic                 due;          // its decision is shown
  logic                 totals_q;     // its totals have come
  logic                 calm_q, settled_q, under_way_q, dropped_q;  // in that cycle; a launch or a repair in it or since
  logic [TimeWidth-1:0] length_q;     // length of the window, this cycle included
  logic [PathWidth-1:0] wait_q;       // cycles for which a decision has been on its way
  logic [TimeWidth-1:0] unsettled_q;  // cycles for which a setting has waited while nothing kept it from taking effect
  logic [LaneWidth-1:0] min_lanes_q, issued_ab, issued_ba, leaving_ab, leaving_ba;
  logic [LaneWidth-1:0] total, half, have_ba, coming_ab, coming_ba;  // coming: lanes that turn to it

  assign decided   = decision_i != cf_lane_pkg::DecisionNone;
  assign pending   = pending_i != cf_lane_pkg::DecisionNone;
  assign calm      = turning_i == '0 && !pending && !decided_i && !repair_i;
  assign due       = since_q == TimeWidth'(Latency);
  assign raised    = raised_q || min_lanes_i > min_lanes_q;
  assign total     = lanes_ab_i + lanes_ba_i + turning_i;
  assign half      = total >> 1;
  assign have_ba   = total - have_ab_i;
  assign coming_ab = have_ab_i - lanes_ab_i;
  assign coming_ba = have_ba - lanes_ba_i;

  always_comb begin
    issued_ab  = '0;
    issued_ba  = '0;
    leaving_ab = '0;
    leaving_ba = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      issued_ab  = issued_ab + LaneWidth'(a_valid_i[i] && a_serve_i[i]);
      issued_ba  = issued_ba + LaneWidth'(b_valid_i[i] && b_serve_i[i]);
      leaving_ab = leaving_ab + LaneWidth'(leave_i[i] && a_serve_i[i]);
      leaving_ba = leaving_ba + LaneWidth'(leave_i[i] && b_serve_i[i]);
    end
  end

  // The direction that would give a lane has none to spare.
  assign short_of_ab = decision_i == cf_lane_pkg::DecisionToAb && lanes_ba_i <= min_lanes_i;
  assign short_of_ba = decision_i == cf_lane_pkg::DecisionToBa && lanes_ab_i <= min_lanes_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      length_q    <= TimeWidth'(1);
      wait_q      <= '0;
      unsettled_q <= '0;
      raised_q    <= 1'b0;
      min_lanes_q <= '1;
      since_q     <= '0;
      calm_q      <= 1'b0;
      settled_q   <= 1'b0;
      under_way_q <= 1'b0;
      dropped_q   <= 1'b0;
      totals_q    <= 1'b0;
    end else begin
      totals_q <= totals_i || (totals_q && !window_end_i);
      if (window_end_i) begin
        since_q     <= TimeWidth'(1);
        calm_q      <= calm;
        settled_q   <= settled_i;
        under_way_q <= under_way_i;
        dropped_q   <= launch_i || repair_i;
      end else begin
        if (due) begin
          since_q <= '0;
        end else if (since_q != '0) begin
          since_q <= since_q + TimeWidth'(1);
        end
        dropped_q <= dropped_q || launch_i || repair_i;
      end
      raised_q    <= raised;
      min_lanes_q <= min_lanes_i;
      wait_q      <= '0;
      unsettled_q <= '0;
      if (pending) begin
        wait_q <= wait_q + PathWidth'(1);
      end
      if (!settled_i && calm && !apply_i) begin
        unsettled_q <= unsettled_q + TimeWidth'(1);
      end
      if (launch_i || length_q == sample_time_i || !running_i) begin
        length_q <= TimeWidth'(1);
      end else begin
        length_q <= length_q + TimeWidth'(1);
      end
    end
  end

  `CF_ASSERT_SETUP

  // Lanes.
  `CF_ASSERT(A1_lanes_conserved, lanes_ab_i + lanes_ba_i + turning_i + failed_i == LaneWidth'(Lanes))
  `CF_ASSERT(A1_half_of_lanes, half_i == half && odd_i == total[0])
  // An outer lane stays in its direction, so neither direction has all.
  `CF_ASSERT(A1_neither_has_all, lanes_ab_i < LaneWidth'(Lanes) && lanes_ba_i < LaneWidth'(Lanes))
  `CF_COVER(A1_all_kinds, lanes_ab_i != '0 && lanes_ba_i != '0 && turning_i != '0 && failed_i != '0)

  // No direction gives lanes of its minimum; while no lane fails and the minimum is not raised, each has its minimum.
  `CF_WHERE(A4_ab_keeps_minimum, leaving_ab != '0, lanes_ab_i - leaving_ab >= (half < min_lanes_i ? half : min_lanes_i))
  `CF_WHERE(A4_ba_keeps_minimum, leaving_ba != '0, lanes_ba_i - leaving_ba >= (half < min_lanes_i ? half : min_lanes_i))
  `CF_WHERE(A4_both_have_minimum, failed_i == '0 && !raised, lanes_ab_i >= min_lanes_i && lanes_ba_i >= min_lanes_i)
  `CF_COVER(A4_at_minimum, leaving_ab != '0 && lanes_ab_i - leaving_ab == min_lanes_i)
  `CF_NEVER(A4_both_directions_give, leaving_ab != '0 && leaving_ba != '0)

  // A launch brings the lanes back to symmetric, while none has failed.
  `CF_NEXT(A4_launch_shares_evenly, launch_i && failed_i == '0 && fail_i == '0,
           have_ab_i == LaneWidth'(LanesPerDirection))

  // A decision's lane turns alone, and so do those that leave for one.
  `CF_NEVER_WHERE(A8_decided_turns_overlap, under_way_i, turning_i > LaneWidth'(1))
  `CF_NEVER_WHERE(A8_goes_while_turning, go_ab_i || go_ba_i, turning_i != '0)
  `CF_NEVER(A8_goes_both_ways, go_ab_i && go_ba_i)
  // Less than half of the lanes turn at a time. With two lanes per direction both inner lanes can turn: one by a
  // decision and, if a lane fails meanwhile, the other for a repair.
  `CF_ASSERT(A8_less_than_half_turn, turning_i < LaneWidth'(LanesPerDirection == 2 ? 3 : LanesPerDirection))
  `CF_COVER(A8_under_way, under_way_i && turning_i == LaneWidth'(1))

  // A decision holds when its time has come, or is dropped. Its time counts from the window's end.
  `CF_NEVER_WHERE(A9_sync_too_long, pending, wait_q >= sync_latency_i - PathWidth'(Latency))
  `CF_WHERE(A9_sync_counts, pending,
            sync_left_i != '0 && wait_q + sync_left_i == sync_latency_i - PathWidth'(Latency))
  `CF_COVER(A9_sync_ends,
            pending && wait_q + PathWidth'(1) == sync_latency_i - PathWidth'(Latency) && (go_ab_i || go_ba_i))

  // Windows are exact, and decisions belong to their ends, as do totals.
  `CF_ASSERT(A10_window_exact, window_end_i == (running_i && length_q == sample_time_i))
  `CF_NEVER_WHERE(A10_decision_in_mid_window, decided, !due)
  `CF_ASSERT(A10_deciding_counts, deciding_i == (since_q != '0) && since_q <= TimeWidth'(Latency))
  `CF_WHERE(A10_totals_of_a_window, totals_i,
            window_end_i || (since_q != '0 && since_q <= TimeWidth'(cf_lane_pkg::MonitorCycles)))
  `CF_WHERE(A10_totals_come, since_q == TimeWidth'(cf_lane_pkg::MonitorCycles), totals_i || totals_q)
  `CF_COVER(A10_window_end_at_launch, window_end_i && launch_i)
  `CF_COVER(A11_busy_in_last_cycle, window_end_i && issued_ab != '0 && issued_ba != '0)

  // Nothing is decided while a decision is on its way, or where both directions want a lane.
  `CF_NEVER_WHERE(A12_decision_while_turning, decided, !calm_q)
  `CF_COVER(A12_wish_while_turning, due && !calm_q && wish_i != cf_lane_pkg::DecisionNone)
  `CF_NEVER_WHERE(A12_pending_while_turning, pending, turning_i != '0)

  // Settings wait until no lane turns and no decision is on its way.
  `CF_STABLE(A19_settings_wait_for_lanes, turning_i != '0,
             {enable_i, guarded_i, sample_time_i, sync_latency_i, threshold_i, min_lanes_i})
  `CF_STABLE(A19_settings_wait_for_decision, (pending || decided_i) && !launch_i,
             {enable_i, guarded_i, sample_time_i, sync_latency_i, threshold_i, min_lanes_i})
  `CF_NEVER_WHERE(A19_settings_wait_for_repair, repair_i && !launch_i, apply_i)
  `CF_STABLE(A19_settings_wait_for_window, running_i && !window_end_i && !launch_i,
             {enable_i, guarded_i, sample_time_i, sync_latency_i, threshold_i, min_lanes_i})

  // The times of lanes that leave with a window's end are those before it: none leaves where settings take effect then.
  `CF_NEVER_WHERE(A19_times_change_early, apply_i && !apply_times_i, leave_i != '0 || back_i != '0)

  // A setting that waits holds off decisions. So while no lane turns, it waits for less than a window.
  `CF_NEVER_WHERE(A19_decision_while_unsettled, due && !settled_q, decided)
  `CF_WHERE(A19_applied_at_window, !settled_i && window_end_i && calm, apply_i)
  `CF_WHERE(A19_settles_within_window, !settled_i, unsettled_q < length_q)
  `CF_COVER(C_unsettled_holds_off_decision,
            !settled_q && due && calm_q && wish_i != cf_lane_pkg::DecisionNone)

  // The policy's wish is carried out at the first window's end that permits it.
  `CF_WHERE(A20_wish_is_followed, due && calm_q && settled_q, decision_i == wish_i)
  `CF_ASSERT(A20_decision_holds, decided_i == (decided && !dropped_q))
  `CF_WHERE(A20_pending_goes,
            pending && sync_left_i == PathWidth'(1) && !launch_i && !repair_i &&
            (pending_i == cf_lane_pkg::DecisionToAb ? lanes_ba_i : lanes_ab_i) > min_lanes_i,
            go_ab_i || go_ba_i)
  `CF_WHERE(A20_decision_goes,
            decided_i && sync_latency_i == PathWidth'(Latency) && !launch_i && !repair_i && !short_of_ab && !short_of_ba,
            go_ab_i || go_ba_i)
  `CF_COVER(A20_decided, decided)
  `CF_COVER(C_decision_dropped_before_it_is_shown, decided && !decided_i)

  // Invariants that relate the counts above, for proofs, which begin in any state.
  `CF_ASSERT(A10_length_in_window, length_q != '0 && length_q <= sample_time_i)
  `CF_WHERE(A10_window_since, since_q != '0, length_q <= since_q)
  `CF_ASSERT(A10_length_is_cycle, cycle_i + TimeWidth'(1) == length_q)
  `CF_WHERE(A10_nothing_before_launch, !running_i,
            turning_i == '0 && !pending && !deciding_i && length_q == TimeWidth'(1))
  `CF_NEVER_WHERE(A12_turning_while_deciding, turning_i != '0, since_q != '0 && calm_q && !dropped_q)
  `CF_NEVER_WHERE(A12_pending_while_deciding, pending, deciding_i && calm_q)

  `CF_WHERE(A4_excess_serves, failed_i == '0 && !under_way_i && have_ab_i > LaneWidth'(LanesPerDirection),
            have_ab_i == lanes_ab_i)
  `CF_WHERE(A4_shortage_serves, failed_i == '0 && !under_way_i && have_ab_i < LaneWidth'(LanesPerDirection),
            have_ab_i == lanes_ab_i + turning_i)

  `CF_WHERE(A4_decided_leaves_minimum, failed_i == '0 && under_way_i && turning_i != '0,
            have_ab_i >= min_lanes_i && have_ba >= min_lanes_i)

  // A launch or a repair gives a direction half of the lanes at most. If it has more than half and a lane turns to it,
  // a decision did that, and the other direction kept its minimum: lanes missing there have failed.
  `CF_WHERE(A8_ab_gets_half, coming_ab > LaneWidth'(1), have_ab_i <= LaneWidth'(LanesPerDirection))
  `CF_WHERE(A8_ba_gets_half, coming_ba > LaneWidth'(1), have_ba <= LaneWidth'(LanesPerDirection))
  `CF_WHERE(A8_ba_lacks_failed, coming_ab != '0 && have_ab_i > LaneWidth'(LanesPerDirection),
            lanes_ba_i + failed_i >= min_lanes_i)
  `CF_WHERE(A8_ab_lacks_failed, coming_ba != '0 && have_ba > LaneWidth'(LanesPerDirection),
            lanes_ab_i + failed_i >= min_lanes_i)

  // The lane that a decision turns comes from the border: if it turns to A->B, no lane of B->A is below it; if it turns to
  // B->A, no lane of A->B is above it.
  logic [Lanes-1:0] turns_to_ab, turns_to_ba;
  assign turns_to_ab = lane_turns_i & ~lane_to_ba_i;
  assign turns_to_ba = lane_turns_i & lane_to_ba_i;
  `CF_WHERE(A8_turns_to_ab_at_border, under_way_i && turns_to_ab != '0,
            (lane_to_ba_i & ~lane_failed_i & (turns_to_ab - Lanes'(1))) == '0)
  `CF_WHERE(A8_turns_to_ba_at_border, under_way_i && turns_to_ba != '0,
            (~lane_to_ba_i & ~lane_failed_i & ~(turns_to_ba | (turns_to_ba - Lanes'(1)))) == '0)

  // Corners.
  for (genvar i = 1; i < Lanes; i++) begin : gen_split
    cf_cover u_split (.clk_i, .rst_ni, .hit_i(lanes_ab_i == LaneWidth'(i) && lanes_ba_i == LaneWidth'(Lanes - i)));
  end
  `CF_COVER(C_turn_under_full_load,
            under_way_i && turning_i != '0 && issued_ab == lanes_ab_i && issued_ba == lanes_ba_i)
  `CF_COVER(C_launch_turns_back, launch_i && back_i != '0)
  `CF_COVER(C_launch_lets_turn, launch_i && under_way_i && turning_i != '0 && back_i == '0)
  `CF_COVER(C_launch_turns_many, launch_i && leaving_ab > LaneWidth'(1))
  `CF_COVER(C_launch_drops_decision, launch_i && pending)
  `CF_COVER(C_launch_at_decision, launch_i && decided)
  `CF_COVER(C_launch_while_deciding, launch_i && deciding_i && calm_q && !due)
  `CF_COVER(C_repair, repair_i && !launch_i)
  `CF_COVER(C_repair_drops_decision, repair_i && pending && !launch_i)
  `CF_COVER(C_repair_while_deciding, repair_i && deciding_i && calm_q && !due && !launch_i)
  `CF_COVER(C_fails_while_leaving, (fail_i & leave_i) != '0)
  `CF_COVER(C_fails_last_of_direction, lanes_ab_i == LaneWidth'(1) && (fail_i & a_serve_i) != '0)
  `CF_COVER(C_back_to_back_turns, decided && under_way_q)

endmodule
