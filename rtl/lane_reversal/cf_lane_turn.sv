// SPDX-License-Identifier: Apache-2.0
// One physical lane: which direction it serves, or its turn to the other.
//
//   state          | until                          | then
//   LaneServing    | leave_i                        | LaneDraining, to the other direction
//   LaneDraining   | drain_time_i cycles have gone  | LaneTurnaround
//   LaneTurnaround | switch_time_i cycles have gone | LaneServing
//   LaneFailed     | reset                          |
// back_i in LaneDraining or LaneTurnaround: the lane returns to its old direction, and begins with LaneDraining again.
// fail_i in any state: LaneFailed. A state whose time is 0 is skipped.
//
// Timing: leave_i, back_i and fail_i, given in a cycle, show in the next one's outputs. A lane that leaves in cycle t
// (the first in which it does not serve) serves again in t + drain_time_i + switch_time_i. The times are read when
// their state is entered, and must not change while the lane turns. kept_*_o and begun_*_o are of the next cycle
// (combinational), and do not depend on leave_i and back_i; all other outputs come from registers.
module cf_lane_turn #(
  parameter int unsigned TimeWidth = 20,   // bits of switch_time_i
  parameter int unsigned DrainWidth = 12,  // bits of drain_time_i, at most TimeWidth
  parameter bit          StartsToBa = 1'b0 // the direction after reset
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // commands
  input  logic                  leave_i,  // only where serving_o
  input  logic                  back_i,   // only where turning_o
  input  logic                  fail_i,
  input  logic [DrainWidth-1:0] drain_time_i,
  input  logic [TimeWidth-1:0]  switch_time_i,
  // this cycle
  output logic                  serving_o,
  output logic                  turning_o,
  output logic                  draining_o, // turning, and before the turnaround
  output logic                  failed_o,
  output logic                  to_ba_o,    // the direction served, or turned to
  output logic [TimeWidth-1:0]  left_o,     // cycles left of draining or turnaround, with this one
  // the next cycle: without a turn that begins, and with one
  output logic                  kept_serve_ab_o,
  output logic                  kept_serve_ba_o,
  output logic                  kept_drain_o,
  output logic                  begun_serve_ab_o,
  output logic                  begun_serve_ba_o,
  output logic                  begun_drain_o
);

  if (DrainWidth > TimeWidth) begin : gen_check_drain_width
    $fatal(1, "%m: DrainWidth is %0d, TimeWidth is %0d", DrainWidth, TimeWidth);
  end

  // leave_i and back_i come late in the cycle, so both next states are there before it is known which one it is.
  cf_lane_pkg::lane_e   state_d, state_q, kept_state, begun_state;
  logic                 to_ba_d, to_ba_q, begun_to_ba, begin_turn;
  logic [TimeWidth-1:0] timer_d, timer_q, kept_timer, begun_timer;  // cycles left of the state, with this one; 0 unless turning
  logic                 last_cycle, fails;

  assign last_cycle = timer_q == TimeWidth'(1);
  assign fails      = fail_i || state_q == cf_lane_pkg::LaneFailed;

  always_comb begin
    kept_state = state_q;
    kept_timer = '0;
    if (fails) begin
      kept_state = cf_lane_pkg::LaneFailed;
    end else if (state_q == cf_lane_pkg::LaneDraining && last_cycle && switch_time_i != '0) begin
      kept_state = cf_lane_pkg::LaneTurnaround;
      kept_timer = switch_time_i;
    end else if (state_q != cf_lane_pkg::LaneServing) begin
      kept_timer = timer_q - TimeWidth'(1);
      if (last_cycle) begin
        kept_state = cf_lane_pkg::LaneServing;
      end
    end
  end

  always_comb begin
    begun_state = cf_lane_pkg::LaneServing;
    begun_timer = '0;
    begun_to_ba = !to_ba_q;
    if (fails) begin
      begun_state = cf_lane_pkg::LaneFailed;
      begun_to_ba = to_ba_q;
    end else if (drain_time_i != '0) begin
      begun_state = cf_lane_pkg::LaneDraining;
      begun_timer = TimeWidth'(drain_time_i);
    end else if (switch_time_i != '0) begin
      begun_state = cf_lane_pkg::LaneTurnaround;
      begun_timer = switch_time_i;
    end
  end

  assign begin_turn = leave_i || back_i;

  always_comb begin
    if (begin_turn) begin
      state_d = begun_state;
      to_ba_d = begun_to_ba;
      timer_d = begun_timer;
    end else begin
      state_d = kept_state;
      to_ba_d = to_ba_q;
      timer_d = kept_timer;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= cf_lane_pkg::LaneServing;
      to_ba_q <= StartsToBa;
      timer_q <= '0;
    end else begin
      state_q <= state_d;
      to_ba_q <= to_ba_d;
      timer_q <= timer_d;
    end
  end

  assign serving_o  = state_q == cf_lane_pkg::LaneServing;
  assign failed_o   = state_q == cf_lane_pkg::LaneFailed;
  assign turning_o  = !serving_o && !failed_o;
  assign draining_o = state_q == cf_lane_pkg::LaneDraining;
  assign to_ba_o    = to_ba_q;
  assign left_o     = timer_q;

  assign kept_serve_ab_o  = kept_state == cf_lane_pkg::LaneServing && !to_ba_q;
  assign kept_serve_ba_o  = kept_state == cf_lane_pkg::LaneServing && to_ba_q;
  assign kept_drain_o     = kept_state == cf_lane_pkg::LaneDraining;
  assign begun_serve_ab_o = begun_state == cf_lane_pkg::LaneServing && !begun_to_ba;
  assign begun_serve_ba_o = begun_state == cf_lane_pkg::LaneServing && begun_to_ba;
  assign begun_drain_o    = begun_state == cf_lane_pkg::LaneDraining;

endmodule
