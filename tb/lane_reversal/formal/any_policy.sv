// SPDX-License-Identifier: Apache-2.0
// Replaces cf_lane_policy where a proof must hold for any policy: in every cycle it wishes what it likes.
module cf_lane_policy #(
  parameter int unsigned CountWidth = 24,
  parameter int unsigned LaneWidth = 5
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   window_end_i,
  input  logic                   enable_i,
  input  logic                   guarded_i,
  input  logic [6:0]             threshold_i,
  input  logic                   spare_ab_i,
  input  logic                   spare_ba_i,
  input  logic [LaneWidth-1:0]   lanes_ab_i,
  input  logic [LaneWidth-1:0]   lanes_ba_i,
  input  logic                   totals_i,
  input  logic [CountWidth-1:0]  busy_ab_i,
  input  logic [CountWidth-1:0]  busy_ba_i,
  input  logic [CountWidth-1:0]  capacity_ab_i,
  input  logic [CountWidth-1:0]  capacity_ba_i,
  output cf_lane_pkg::decision_e wish_o
);

  (* anyseq *) logic [1:0] any;

  always_comb begin
    wish_o = cf_lane_pkg::DecisionNone;
    if (any == 2'd1) begin
      wish_o = cf_lane_pkg::DecisionToAb;
    end else if (any == 2'd2) begin
      wish_o = cf_lane_pkg::DecisionToBa;
    end
  end

endmodule
