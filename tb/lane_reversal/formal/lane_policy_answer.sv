// SPDX-License-Identifier: Apache-2.0
// One window for two policies, the block's (`gold`) and a mutant (`gate`): whatever both held before, they get the same, and
// are asked as cf_lane_core asks. It reads their wishes in one cycle only, that of `answered_o`.
module lane_policy_answer #(
  parameter int unsigned CountWidth = 24,
  parameter int unsigned LaneWidth = 5
) (
  input  logic                    clk_i,
  input  logic                    enable_i,
  input  logic                    guarded_i,
  input  logic [6:0]              threshold_i,
  input  logic                    spare_ab_i,
  input  logic                    spare_ba_i,
  input  logic [LaneWidth-1:0]    lanes_ab_i,
  input  logic [LaneWidth-1:0]    lanes_ba_i,
  input  logic [4*CountWidth-1:0] totals_i,
  output logic                    answered_o,
  output logic                    to_ab_o,  // what the block's policy answered
  output logic                    to_ba_o,
  output logic                    differ_o
);

  // At first neither is asked: with the shortest windows, as many cycles lie between the totals and the next window's end.
  localparam int unsigned WindowEnd = cf_lane_pkg::PolicyCycles - 1;
  localparam int unsigned Totals    = WindowEnd + cf_lane_pkg::MonitorCycles;  // from the next cycle on
  localparam int unsigned Answer    = WindowEnd + cf_lane_pkg::DecisionCycles;

  logic [5:0]              at_q = '0;
  logic [4*CountWidth-1:0] totals_q;
  logic [1:0]              gold_wish, gate_wish;

  always_ff @(posedge clk_i) begin
    at_q     <= at_q + 6'd1;
    totals_q <= totals_i;
  end

  always_comb begin
    assume (at_q <= 6'(Totals + 1) || totals_i == totals_q);
  end

  gold u_gold (
    .clk_i, .rst_ni(1'b1), .window_end_i(at_q == 6'(WindowEnd)), .enable_i, .guarded_i, .threshold_i, .spare_ab_i, .spare_ba_i,
    .lanes_ab_i, .lanes_ba_i, .totals_i(at_q == 6'(Totals)), .busy_ab_i(totals_i[4*CountWidth-1:3*CountWidth]),
    .busy_ba_i(totals_i[3*CountWidth-1:2*CountWidth]), .capacity_ab_i(totals_i[2*CountWidth-1:CountWidth]),
    .capacity_ba_i(totals_i[CountWidth-1:0]), .wish_o(gold_wish)
  );
  gate u_gate (
    .clk_i, .rst_ni(1'b1), .window_end_i(at_q == 6'(WindowEnd)), .enable_i, .guarded_i, .threshold_i, .spare_ab_i, .spare_ba_i,
    .lanes_ab_i, .lanes_ba_i, .totals_i(at_q == 6'(Totals)), .busy_ab_i(totals_i[4*CountWidth-1:3*CountWidth]),
    .busy_ba_i(totals_i[3*CountWidth-1:2*CountWidth]), .capacity_ab_i(totals_i[2*CountWidth-1:CountWidth]),
    .capacity_ba_i(totals_i[CountWidth-1:0]), .wish_o(gate_wish)
  );

  assign answered_o = at_q == 6'(Answer);
  assign to_ab_o    = answered_o && gold_wish == 2'(cf_lane_pkg::DecisionToAb);
  assign to_ba_o    = answered_o && gold_wish == 2'(cf_lane_pkg::DecisionToBa);
  assign differ_o   = answered_o && gold_wish != gate_wish;

endmodule
