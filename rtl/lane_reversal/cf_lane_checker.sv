// SPDX-License-Identifier: Apache-2.0
// Assertions about one lane, seen from outside its state machine. It counts by itself how long the lane has turned, how
// long no end has driven it, and how long ago its last phit was, and compares. It is not synthesised.
// Timing: all inputs belong to this cycle; the two times are those of the next cycle.
`include "cf_assert.svh"

module cf_lane_checker #(
  parameter int unsigned TimeWidth = 20,    // bits of switch_time_i
  parameter int unsigned PathWidth = 12,    // bits of drain_time_i
  parameter bit          StartsToBa = 1'b0, // the direction after reset
  parameter bit          Outer = 1'b0       // the link's first or last lane
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  // settings
  input logic [PathWidth-1:0] drain_time_i,
  input logic [TimeWidth-1:0] switch_time_i,
  // the lane
  input logic                 serving_i,
  input logic                 turning_i,
  input logic                 draining_i,
  input logic                 failed_i,
  input logic                 to_ba_i,
  input logic [TimeWidth-1:0] left_i,
  input logic                 leave_i,
  input logic                 back_i,
  input logic                 under_way_i,  // it turns because of a decision
  // its ends
  input logic                 a_serve_i,
  input logic                 b_serve_i,
  input logic                 a_drive_i,
  input logic                 b_drive_i,
  input logic                 a_issue_i,
  input logic                 b_issue_i
);

  localparam int unsigned AgeWidth = TimeWidth + 2;

  logic                 by_b_q;           // B's driver was the last one on, before this cycle
  logic                 driven, driven_q; // a driver is on; was on in the previous cycle
  logic [AgeWidth-1:0]  age_q, quiet_q;   // cycles of the turn, of the turnaround (or more); before this one
  logic [PathWidth:0]   since_q;          // cycles since the last phit; stays at its greatest value
  logic [PathWidth-1:0] drain_q;          // the settings that hold in this cycle
  logic [TimeWidth-1:0] switch_q;
  logic                 turnaround, handed_over;

  assign driven      = a_drive_i || b_drive_i;
  assign turnaround      = turning_i && !draining_i;
  assign handed_over = by_b_q ? a_drive_i : b_drive_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      by_b_q   <= StartsToBa;
      driven_q <= 1'b1;
      age_q    <= '0;
      quiet_q  <= '0;
      since_q  <= '1;
      drain_q  <= '0;
      switch_q <= '0;
    end else begin
      driven_q <= driven;
      age_q    <= '0;
      quiet_q  <= '0;
      drain_q  <= drain_time_i;
      switch_q <= switch_time_i;
      if (driven) begin
        by_b_q <= b_drive_i;
      end
      if (turning_i && !back_i) begin
        age_q <= age_q + AgeWidth'(1);
      end
      if (!driven) begin
        quiet_q <= quiet_q == '1 ? quiet_q : quiet_q + AgeWidth'(1);
      end
      if (a_issue_i || b_issue_i) begin
        since_q <= (PathWidth + 1)'(1);
      end else if (since_q != '1) begin
        since_q <= since_q + (PathWidth + 1)'(1);
      end
    end
  end

  `CF_ASSERT_SETUP

  // Two drivers are never on; a serving lane is driven; a phit is put only on a lane that its end serves.
  `CF_NEVER(A2_two_drivers, a_drive_i && b_drive_i)
  `CF_NEVER(A2_serves_without_driver, (a_serve_i && !a_drive_i) || (b_serve_i && !b_drive_i))
  `CF_COVER(A2_driver_of_other_end, handed_over)
  `CF_NEVER_WHERE(A7_phit_on_turning_lane, turning_i, a_issue_i || b_issue_i)
  `CF_COVER(A7_phit_before_turn, leave_i && (a_issue_i || b_issue_i))

  // A driver is switched on only after all phits of the other end have arrived.
  `CF_NEVER_WHERE(A3_phit_under_other_driver, handed_over, since_q <= (PathWidth + 1)'(drain_q))
  `CF_COVER(A3_handed_over, handed_over && since_q == (PathWidth + 1)'(drain_q) + (PathWidth + 1)'(switch_q) + 1'b1)
  `CF_NEVER_WHERE(A5_turnaround_before_drained, turnaround, since_q <= (PathWidth + 1)'(drain_q))
  `CF_COVER(A5_turnaround, turnaround)

  // The turnaround, between the two ends' drivers, is exactly the switch time; none is shorter.
  `CF_NEVER_WHERE(A6_turnaround_not_exact, handed_over, quiet_q != AgeWidth'(switch_q))
  `CF_NEVER_WHERE(A6_turnaround_too_short, driven && !driven_q, quiet_q < AgeWidth'(switch_q))
  `CF_COVER(A6_handed_over, handed_over && quiet_q > AgeWidth'(1))
  `CF_COVER(A6_handed_back, driven && !driven_q && !handed_over)

  // A turn ends in time, or begins again because of a launch.
  `CF_NEVER_WHERE(A9_turn_too_long, turning_i, age_q >= AgeWidth'(drain_q) + AgeWidth'(switch_q))
  `CF_WHERE(A9_drain_counts, draining_i, left_i != '0 && age_q + AgeWidth'(left_i) == AgeWidth'(drain_q))
  `CF_WHERE(A9_turnaround_counts, turnaround,
            left_i != '0 && age_q + AgeWidth'(left_i) == AgeWidth'(drain_q) + AgeWidth'(switch_q))
  `CF_COVER(A9_last_cycle, turning_i && left_i == TimeWidth'(1))

  // The ends and the lane agree.
  `CF_ASSERT(A15_maps_agree, a_serve_i == (serving_i && !to_ba_i) && b_serve_i == (serving_i && to_ba_i))
  `CF_NEVER_WHERE(A15_failed_lane_in_use, failed_i, driven)
  `CF_COVER(A15_failed, failed_i)

  // A direction gives the lane at the border, and never its last one: the outer lanes stay.
  `CF_ASSERT(A4_outer_lane_stays, !Outer || (!turning_i && to_ba_i == StartsToBa))

  // The times do not change under a lane that turns.
  `CF_WHERE(A19_times_wait, turning_i, drain_time_i == drain_q && switch_time_i == switch_q)

  // Invariants that relate the counts above, for proofs, which begin in any state.
  `CF_WHERE(A6_turnaround_and_rest, turnaround,
            quiet_q >= AgeWidth'(switch_q) || quiet_q + AgeWidth'(left_i) >= AgeWidth'(switch_q))
  `CF_WHERE(A6_turnaround_of_hand_over, turnaround && to_ba_i != by_b_q,
            quiet_q < AgeWidth'(switch_q) && quiet_q + AgeWidth'(left_i) == AgeWidth'(switch_q))
  `CF_WHERE(A5_drained_by_driver, draining_i && to_ba_i != by_b_q, driven && quiet_q == '0)
  `CF_WHERE(A8_decided_turns_away, under_way_i && turning_i, to_ba_i != by_b_q)
  `CF_WHERE(A6_driver_ends_turnaround, driven_q, quiet_q == '0)
  `CF_NEVER_WHERE(A6_turnaround_driven, turnaround, driven)
  `CF_NEVER_WHERE(A3_handed_over_early, turning_i, handed_over)
  `CF_WHERE(A5_since_turn, turning_i && since_q != '1, AgeWidth'(since_q) > age_q)

endmodule
