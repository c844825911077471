// SPDX-License-Identifier: Apache-2.0
// What a window says: which direction, if any, gets a lane of the other. Combinational; exact, in whole numbers,
// without a divider. A direction is saturated where capacity > 0 and 100 * busy >= threshold * capacity. The published
// rule: exactly one is, and the other has more lanes than the minimum. The guarded one asks in addition that the giver
// would not saturate with one lane fewer: 100 * busy * lanes < threshold * capacity * (lanes - 1).
// Source: "Asymmetric Links for TMS-GPUs", the lane controller of each link (threshold 99).
module cf_lane_policy #(
  parameter int unsigned CountWidth = 24,  // bits of the totals
  parameter int unsigned LaneWidth = 5     // bits of a number of lanes
) (
  input  logic                   enable_i,
  input  logic                   guarded_i,
  input  logic [6:0]             threshold_i,  // per cent
  input  logic                   spare_ab_i,   // has more lanes than the minimum
  input  logic                   spare_ba_i,
  input  logic [CountWidth-1:0]  busy_ab_i,
  input  logic [CountWidth-1:0]  busy_ba_i,
  input  logic [CountWidth-1:0]  capacity_ab_i,
  input  logic [CountWidth-1:0]  capacity_ba_i,
  input  logic [LaneWidth-1:0]   lanes_ab_i,
  input  logic [LaneWidth-1:0]   lanes_ba_i,
  output cf_lane_pkg::decision_e wish_o
);

  localparam int unsigned LoadWidth = CountWidth + 7;
  localparam int unsigned GuardWidth = LoadWidth + LaneWidth;

  logic [LoadWidth-1:0]  load_ab, load_ba, limit_ab, limit_ba;
  logic                  saturated_ab, saturated_ba;
  logic [LoadWidth-1:0]  giver_load, giver_limit;
  logic [LaneWidth-1:0]  giver_lanes;
  logic                  may_give;

  assign load_ab  = LoadWidth'(busy_ab_i) * LoadWidth'(100);
  assign load_ba  = LoadWidth'(busy_ba_i) * LoadWidth'(100);
  assign limit_ab = LoadWidth'(capacity_ab_i) * LoadWidth'(threshold_i);
  assign limit_ba = LoadWidth'(capacity_ba_i) * LoadWidth'(threshold_i);

  assign saturated_ab = capacity_ab_i != '0 && load_ab >= limit_ab;
  assign saturated_ba = capacity_ba_i != '0 && load_ba >= limit_ba;

  always_comb begin
    if (saturated_ab) begin
      giver_load  = load_ba;
      giver_limit = limit_ba;
      giver_lanes = lanes_ba_i;
    end else begin
      giver_load  = load_ab;
      giver_limit = limit_ab;
      giver_lanes = lanes_ab_i;
    end
  end

  assign may_give = !guarded_i || GuardWidth'(giver_load) * GuardWidth'(giver_lanes) + GuardWidth'(giver_limit) <
                                      GuardWidth'(giver_limit) * GuardWidth'(giver_lanes);

  always_comb begin
    wish_o = cf_lane_pkg::DecisionNone;
    if (enable_i && may_give) begin
      if (saturated_ab && !saturated_ba && spare_ba_i) begin
        wish_o = cf_lane_pkg::DecisionToAb;
      end else if (saturated_ba && !saturated_ab && spare_ab_i) begin
        wish_o = cf_lane_pkg::DecisionToBa;
      end
    end
  end

endmodule
