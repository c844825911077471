// SPDX-License-Identifier: Apache-2.0
// Assertions about the block, seen from outside: conservation, windows, decisions, settings. It counts windows and
// traffic by itself, and compares. It is not synthesised. Timing: all inputs belong to this cycle; leave_i, go_*_i and
// repair_i take effect with the next cycle.
`include "cf_assert.svh"

module cf_lane_checks #(
  parameter int unsigned LanesPerDirection = 8,
  parameter int unsigned TimeWidth = 20,   // bits of sample_time_i
  parameter int unsigned PathWidth = 12,   // bits of sync_latency_i
  parameter int unsigned CountWidth = 24,  // bits of the totals
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
  input logic [Lanes-1:0]       leave_i,
  input logic [Lanes-1:0]       back_i,
  input logic [Lanes-1:0]       fail_i,
  // the turn
  input logic                   window_end_i,
  input logic [TimeWidth-1:0]   cycle_i,
  input cf_lane_pkg::decision_e wish_i,
  input cf_lane_pkg::decision_e decision_i,
  input cf_lane_pkg::decision_e pending_i,
  input logic [PathWidth-1:0]   sync_left_i,
  input logic                   under_way_i,
  input logic                   repair_i,
  input logic                   apply_i,    // written settings take effect with the next cycle
  input logic                   settled_i,  // no written setting waits
  input logic                   go_ab_i,
  input logic                   go_ba_i,
  input logic [CountWidth-1:0]  busy_ab_i,
  input logic [CountWidth-1:0]  busy_ba_i,
  input logic [CountWidth-1:0]  capacity_ab_i,
  input logic [CountWidth-1:0]  capacity_ba_i
);

  localparam int unsigned SumWidth = CountWidth + 1;

  logic                 decided, pending, calm, raised, raised_q;
  logic [TimeWidth-1:0] length_q;     // length of the window, this cycle included
  logic [PathWidth-1:0] wait_q;       // cycles for which a decision has been on its way
  logic [TimeWidth-1:0] unsettled_q;  // cycles for which a setting has waited while nothing kept it from taking effect
  logic [LaneWidth-1:0] min_lanes_q, issued_ab, issued_ba, leaving_ab, leaving_ba;
  logic [LaneWidth-1:0] total, half, have_ba, coming_ab, coming_ba;  // coming: lanes that turn to it
  logic [SumWidth-1:0]  busy_ab, busy_ba, capacity_ab, capacity_ba;
  logic [SumWidth-1:0]  busy_ab_q, busy_ba_q, capacity_ab_q, capacity_ba_q;

  assign decided   = decision_i != cf_lane_pkg::DecisionNone;
  assign pending   = pending_i != cf_lane_pkg::DecisionNone;
  assign calm      = turning_i == '0 && !pending && !repair_i;
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

  assign busy_ab     = busy_ab_q + SumWidth'(issued_ab);
  assign busy_ba     = busy_ba_q + SumWidth'(issued_ba);
  assign capacity_ab = capacity_ab_q + SumWidth'(lanes_ab_i);
  assign capacity_ba = capacity_ba_q + SumWidth'(lanes_ba_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      length_q      <= TimeWidth'(1);
      wait_q        <= '0;
      unsettled_q   <= '0;
      raised_q      <= 1'b0;
      min_lanes_q   <= '1;
      busy_ab_q     <= '0;
      busy_ba_q     <= '0;
      capacity_ab_q <= '0;
      capacity_ba_q <= '0;
    end else begin
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
        length_q      <= TimeWidth'(1);
        busy_ab_q     <= '0;
        busy_ba_q     <= '0;
        capacity_ab_q <= '0;
        capacity_ba_q <= '0;
      end else begin
        length_q      <= length_q + TimeWidth'(1);
        busy_ab_q     <= busy_ab;
        busy_ba_q     <= busy_ba;
        capacity_ab_q <= capacity_ab;
        capacity_ba_q <= capacity_ba;
      end
    end
  end

  `CF_ASSERT_SETUP

  // Lanes.
  `CF_ASSERT(A1_lanes_conserved, lanes_ab_i + lanes_ba_i + turning_i + failed_i == LaneWidth'(Lanes))
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

  // A decision holds when its time has come, or is dropped.
  `CF_NEVER_WHERE(A9_sync_too_long, pending, wait_q >= sync_latency_i)
  `CF_WHERE(A9_sync_counts, pending, sync_left_i != '0 && wait_q + sync_left_i == sync_latency_i)
  `CF_COVER(A9_sync_ends, pending && wait_q + PathWidth'(1) == sync_latency_i && (go_ab_i || go_ba_i))

  // Windows are exact, and decisions belong to their ends.
  `CF_ASSERT(A10_window_exact, window_end_i == (running_i && length_q == sample_time_i))
  `CF_NEVER_WHERE(A10_decision_in_mid_window, decided, !window_end_i)
  `CF_COVER(A10_window_end_at_launch, window_end_i && launch_i)

  // No lane-cycle is lost, at the boundary or elsewhere, and none is counted twice.
  `CF_WHERE(A11_busy_exact, running_i, SumWidth'(busy_ab_i) == busy_ab && SumWidth'(busy_ba_i) == busy_ba)
  `CF_WHERE(A11_capacity_exact, running_i,
            SumWidth'(capacity_ab_i) == capacity_ab && SumWidth'(capacity_ba_i) == capacity_ba)
  `CF_NEVER_WHERE(A11_busier_than_possible, running_i, busy_ab_i > capacity_ab_i || busy_ba_i > capacity_ba_i)
  `CF_COVER(A11_busy_in_last_cycle, window_end_i && issued_ab != '0 && issued_ba != '0)

  // Nothing is decided while a decision is on its way, or where both directions want a lane.
  `CF_NEVER_WHERE(A12_decision_while_turning, decided, !calm)
  `CF_COVER(A12_wish_while_turning, window_end_i && !calm && wish_i != cf_lane_pkg::DecisionNone)
  `CF_NEVER_WHERE(A12_pending_while_turning, pending, turning_i != '0)

  // Settings wait until no lane turns and no decision is on its way.
  `CF_STABLE(A19_settings_wait_for_lanes, turning_i != '0,
             {enable_i, guarded_i, sample_time_i, sync_latency_i, threshold_i, min_lanes_i})
  `CF_STABLE(A19_settings_wait_for_decision, (pending || decided) && !launch_i,
             {enable_i, guarded_i, sample_time_i, sync_latency_i, threshold_i, min_lanes_i})
  `CF_NEVER_WHERE(A19_settings_wait_for_repair, repair_i && !launch_i, apply_i)
  `CF_STABLE(A19_settings_wait_for_window, running_i && !window_end_i && !launch_i,
             {enable_i, guarded_i, sample_time_i, sync_latency_i, threshold_i, min_lanes_i})

  // A setting that waits holds off decisions. So while no lane turns, it waits for less than a window.
  `CF_NEVER_WHERE(A19_decision_while_unsettled, !settled_i, decided)
  `CF_WHERE(A19_applied_at_window, !settled_i && window_end_i && calm, apply_i)
  `CF_WHERE(A19_settles_within_window, !settled_i, unsettled_q < length_q)
  `CF_COVER(C_unsettled_holds_off_decision,
            !settled_i && window_end_i && calm && wish_i != cf_lane_pkg::DecisionNone)

  // The policy's wish is carried out at the first window's end that permits it.
  `CF_WHERE(A20_wish_is_followed, window_end_i && calm && settled_i, decision_i == wish_i)
  `CF_WHERE(A20_decision_goes, decided && sync_latency_i == '0 && !launch_i, go_ab_i || go_ba_i)
  `CF_COVER(A20_decided, decided)

  // Invariants that relate the counts above, for proofs, which begin in any state.
  `CF_ASSERT(A10_length_in_window, length_q != '0 && length_q <= sample_time_i)
  `CF_ASSERT(A10_length_is_cycle, cycle_i + TimeWidth'(1) == length_q)
  `CF_WHERE(A10_nothing_before_launch, !running_i, turning_i == '0 && !pending && length_q == TimeWidth'(1))
  `CF_ASSERT(A11_capacity_possible,
             capacity_ab_q + capacity_ba_q <= (SumWidth'(length_q) - SumWidth'(1)) * SumWidth'(Lanes))

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
  `CF_COVER(C_repair, repair_i && !launch_i)
  `CF_COVER(C_repair_drops_decision, repair_i && pending && !launch_i)
  `CF_COVER(C_fails_while_leaving, (fail_i & leave_i) != '0)
  `CF_COVER(C_fails_last_of_direction, lanes_ab_i == LaneWidth'(1) && (fail_i & a_serve_i) != '0)
  `CF_COVER(C_back_to_back_turns, window_end_i && decided && under_way_i)

endmodule
