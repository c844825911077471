// SPDX-License-Identifier: Apache-2.0
// The policy against its documented rules, with every product multiplied out. It has no state: one step suffices.
`include "cf_assert.svh"

module lane_policy_proof #(
  parameter int unsigned CountWidth = 4,
  parameter int unsigned LaneWidth = 3,
  localparam int unsigned RuleWidth = CountWidth + LaneWidth + 9
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  enable_i,
  input logic                  guarded_i,
  input logic [6:0]            threshold_i,
  input logic                  spare_ab_i,
  input logic                  spare_ba_i,
  input logic [CountWidth-1:0] busy_ab_i,
  input logic [CountWidth-1:0] busy_ba_i,
  input logic [CountWidth-1:0] capacity_ab_i,
  input logic [CountWidth-1:0] capacity_ba_i,
  input logic [LaneWidth-1:0]  lanes_ab_i,
  input logic [LaneWidth-1:0]  lanes_ba_i
);

  cf_lane_pkg::decision_e wish;

  cf_lane_policy #(.CountWidth(CountWidth), .LaneWidth(LaneWidth)) u_dut (
    .clk_i, .rst_ni, .enable_i, .guarded_i, .threshold_i, .spare_ab_i, .spare_ba_i, .busy_ab_i, .busy_ba_i,
    .capacity_ab_i, .capacity_ba_i, .lanes_ab_i, .lanes_ba_i, .wish_o(wish)
  );

  logic [RuleWidth-1:0] busy_ab, busy_ba, limit_ab, limit_ba;
  logic                 saturated_ab, saturated_ba, ab_may_give, ba_may_give;

  assign busy_ab  = RuleWidth'(busy_ab_i) * RuleWidth'(100);
  assign busy_ba  = RuleWidth'(busy_ba_i) * RuleWidth'(100);
  assign limit_ab = RuleWidth'(capacity_ab_i) * RuleWidth'(threshold_i);
  assign limit_ba = RuleWidth'(capacity_ba_i) * RuleWidth'(threshold_i);

  assign saturated_ab = capacity_ab_i != '0 && busy_ab >= limit_ab;
  assign saturated_ba = capacity_ba_i != '0 && busy_ba >= limit_ba;

  assign ab_may_give = spare_ab_i && (!guarded_i || busy_ab * RuleWidth'(lanes_ab_i) <
                                                        limit_ab * (RuleWidth'(lanes_ab_i) - RuleWidth'(1)));
  assign ba_may_give = spare_ba_i && (!guarded_i || busy_ba * RuleWidth'(lanes_ba_i) <
                                                        limit_ba * (RuleWidth'(lanes_ba_i) - RuleWidth'(1)));

  // A direction that has a lane to spare has one; none is busier than possible (A11_busier_than_possible of the block).
  always @(posedge clk_i) begin
    assume ((lanes_ab_i != '0 || !spare_ab_i) && (lanes_ba_i != '0 || !spare_ba_i));
    assume (busy_ab_i <= capacity_ab_i && busy_ba_i <= capacity_ba_i);
  end

  `CF_ASSERT_SETUP
  `CF_ASSERT(P_to_ab_as_ruled,
             (wish == cf_lane_pkg::DecisionToAb) == (enable_i && saturated_ab && !saturated_ba && ba_may_give))
  `CF_ASSERT(P_to_ba_as_ruled,
             (wish == cf_lane_pkg::DecisionToBa) == (enable_i && saturated_ba && !saturated_ab && ab_may_give))
  `CF_COVER(P_guard_refuses, enable_i && guarded_i && saturated_ab && !saturated_ba && spare_ba_i && !ba_may_give)
  `CF_COVER(P_guard_lets, guarded_i && busy_ba_i != '0 && wish == cf_lane_pkg::DecisionToAb)
  `CF_COVER(P_exactly_saturated, busy_ab == limit_ab && wish == cf_lane_pkg::DecisionToAb)

endmodule
