// SPDX-License-Identifier: Apache-2.0
// The policy's wish for a window: which direction, if any, gets a lane from the other. Combinational; exact, in whole
// numbers, without a divider. A direction is saturated where capacity > 0 and 100 * busy >= threshold * capacity. The
// published rule: exactly one is, and the other has more lanes than the minimum. The guarded rule also requires that
// the giver would not saturate with one lane fewer: 100 * busy * lanes < threshold * capacity * (lanes - 1).
// Source: "Asymmetric Links for TMS-GPUs", the lane controller of each link (threshold 99).
`include "cf_assert.svh"

module cf_lane_policy #(
  parameter int unsigned CountWidth = 24,  // bits of the totals
  parameter int unsigned LaneWidth = 5     // bits of a number of lanes
) (
  input  logic                   clk_i,        // for assertions only
  input  logic                   rst_ni,
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

  localparam int unsigned LimitWidth = CountWidth + 7;
  localparam int unsigned RoomWidth = LimitWidth + 1;
  localparam int unsigned GuardWidth = RoomWidth + LaneWidth;

  // The distance of a direction to its threshold, in hundredths of a lane-cycle; not above 0: saturated.
  logic [LimitWidth-1:0]       limit_ab, limit_ba, giver_limit;
  logic signed [RoomWidth-1:0] room_ab, room_ba, giver_room;
  logic [LaneWidth-1:0]        giver_lanes;
  logic                        saturated_ab, saturated_ba, may_give;

  assign limit_ab = LimitWidth'(capacity_ab_i) * LimitWidth'(threshold_i);
  assign limit_ba = LimitWidth'(capacity_ba_i) * LimitWidth'(threshold_i);
  assign room_ab  = $signed({1'b0, limit_ab}) - $signed(RoomWidth'(busy_ab_i) * RoomWidth'(100));
  assign room_ba  = $signed({1'b0, limit_ba}) - $signed(RoomWidth'(busy_ba_i) * RoomWidth'(100));

  assign saturated_ab = capacity_ab_i != '0 && room_ab <= 0;
  assign saturated_ba = capacity_ba_i != '0 && room_ba <= 0;

  always_comb begin
    if (saturated_ab) begin
      giver_room  = room_ba;
      giver_limit = limit_ba;
      giver_lanes = lanes_ba_i;
    end else begin
      giver_room  = room_ab;
      giver_limit = limit_ab;
      giver_lanes = lanes_ab_i;
    end
  end

  // 100 * busy * lanes < limit * (lanes - 1), with room = limit - 100 * busy. Where it matters, the giver's room is
  // above 0.
  assign may_give = !guarded_i ||
                    GuardWidth'($unsigned(giver_room)) * GuardWidth'(giver_lanes) > GuardWidth'(giver_limit);

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

  `CF_ASSERT_SETUP

  // If both want a lane, nothing turns; nor does a lane that its direction needs.
  logic possible, both_full, both_empty;
  assign possible   = threshold_i != '0 && threshold_i <= 7'd100 && capacity_ab_i != '0 && capacity_ba_i != '0;
  assign both_full  = possible && busy_ab_i >= capacity_ab_i && busy_ba_i >= capacity_ba_i;
  assign both_empty = possible && busy_ab_i == '0 && busy_ba_i == '0;
  `CF_NEVER_WHERE(A14_both_full_one_wins, both_full, wish_o != cf_lane_pkg::DecisionNone)
  `CF_NEVER_WHERE(A14_both_empty_one_wins, both_empty, wish_o != cf_lane_pkg::DecisionNone)
  `CF_COVER(A14_both_full, both_full && enable_i && spare_ab_i && spare_ba_i)
  `CF_NEVER_WHERE(A4_ab_gives_without_spare, !spare_ab_i, wish_o == cf_lane_pkg::DecisionToBa)
  `CF_NEVER_WHERE(A4_ba_gives_without_spare, !spare_ba_i, wish_o == cf_lane_pkg::DecisionToAb)
  `CF_COVER(A4_no_spare, enable_i && saturated_ab && !saturated_ba && !spare_ba_i)

  // With demand on one side only, that side gets a lane if the other has one to spare.
  logic only_ab, only_ba;
  assign only_ab = enable_i && possible && spare_ba_i && lanes_ba_i > LaneWidth'(1) && busy_ab_i >= capacity_ab_i &&
                   busy_ba_i == '0;
  assign only_ba = enable_i && possible && spare_ab_i && lanes_ab_i > LaneWidth'(1) && busy_ba_i >= capacity_ba_i &&
                   busy_ab_i == '0;
  `CF_WHERE(A20_ab_gets_one, only_ab, wish_o == cf_lane_pkg::DecisionToAb)
  `CF_WHERE(A20_ba_gets_one, only_ba, wish_o == cf_lane_pkg::DecisionToBa)
  `CF_COVER(A20_only_ab, only_ab)
  `CF_COVER(A20_only_ba, only_ba && guarded_i)

endmodule
