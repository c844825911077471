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
// their state is entered, and must not change while the lane turns. serve_d_o and drain_d_o are of the next cycle
// (combinational); all other outputs come from registers.
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
  // the next cycle
  output logic                  serve_ab_d_o,
  output logic                  serve_ba_d_o,
  output logic                  drain_d_o
);

  if (DrainWidth > TimeWidth) begin : gen_check_drain_width
    $fatal(1, "%m: DrainWidth is %0d, TimeWidth is %0d", DrainWidth, TimeWidth);
  end

  cf_lane_pkg::lane_e   state_d, state_q;
  logic                 to_ba_d, to_ba_q;
  logic [TimeWidth-1:0] timer_d, timer_q;  // cycles left of this state, with this one; 0 unless turning
  logic                 last_cycle;
  logic                 begin_drain, begin_turnaround;

  assign last_cycle = timer_q == TimeWidth'(1);

  // The next state, before states that take no time are skipped.
  always_comb begin
    begin_drain   = 1'b0;
    begin_turnaround = 1'b0;
    unique case (state_q)
      cf_lane_pkg::LaneServing: begin_drain = leave_i;
      cf_lane_pkg::LaneDraining: begin
        begin_drain   = back_i;
        begin_turnaround = last_cycle;
      end
      cf_lane_pkg::LaneTurnaround: begin_drain = back_i;
      default: ;
    endcase
  end

  always_comb begin
    state_d = state_q;
    to_ba_d = to_ba_q;
    timer_d = '0;
    if (fail_i || state_q == cf_lane_pkg::LaneFailed) begin
      state_d = cf_lane_pkg::LaneFailed;
    end else if (begin_drain && drain_time_i != '0) begin
      state_d = cf_lane_pkg::LaneDraining;
      to_ba_d = !to_ba_q;
      timer_d = TimeWidth'(drain_time_i);
    end else if (begin_drain || begin_turnaround) begin
      to_ba_d = to_ba_q ^ begin_drain;
      if (switch_time_i != '0) begin
        state_d = cf_lane_pkg::LaneTurnaround;
        timer_d = switch_time_i;
      end else begin
        state_d = cf_lane_pkg::LaneServing;
      end
    end else if (state_q != cf_lane_pkg::LaneServing) begin
      timer_d = timer_q - TimeWidth'(1);
      if (last_cycle) begin
        state_d = cf_lane_pkg::LaneServing;
      end
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

  assign serve_ab_d_o = state_d == cf_lane_pkg::LaneServing && !to_ba_d;
  assign serve_ba_d_o = state_d == cf_lane_pkg::LaneServing && to_ba_d;
  assign drain_d_o    = state_d == cf_lane_pkg::LaneDraining;

endmodule
