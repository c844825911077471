// SPDX-License-Identifier: Apache-2.0
// The policy's wish for a window: which direction, if any, gets a lane from the other. Exact, in whole numbers, without a
// divider. A direction is saturated where capacity > 0 and 100 * busy >= threshold * capacity. The published rule: exactly
// one is, and the other has more lanes than the minimum. The guarded rule also requires that the giver would not saturate
// with one lane fewer: 100 * busy * lanes < threshold * capacity * (lanes - 1).
//
// Timing: window_end_i stores the settings and the lanes of that cycle. totals_i in a cycle: the totals are those of the
// window from the next one on, and stay until the following totals_i; that is cycle 1 of
//   1  products: threshold * capacity, 100 * busy
//   2  room: their difference
//   3  which directions are saturated; the room of the one that would give
//   4  product: room * lanes
//   5  the wish
// wish_o, a register, is valid from cycle 6 on, until the following window's.
// Source: "Asymmetric Links for TMS-GPUs", the lane controller of each link (threshold 99).
`include "cf_assert.svh"

module cf_lane_policy #(
  parameter int unsigned CountWidth = 24,  // bits of the totals
  parameter int unsigned LaneWidth = 5     // bits of a number of lanes
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // in the window's last cycle
  input  logic                   window_end_i,
  input  logic                   enable_i,
  input  logic                   guarded_i,
  input  logic [6:0]             threshold_i,  // per cent
  input  logic                   spare_ab_i,   // has more lanes than the minimum
  input  logic                   spare_ba_i,
  input  logic [LaneWidth-1:0]   lanes_ab_i,
  input  logic [LaneWidth-1:0]   lanes_ba_i,
  // the window's totals
  input  logic                   totals_i,     // with the next cycle
  input  logic [CountWidth-1:0]  busy_ab_i,
  input  logic [CountWidth-1:0]  busy_ba_i,
  input  logic [CountWidth-1:0]  capacity_ab_i,
  input  logic [CountWidth-1:0]  capacity_ba_i,
  output cf_lane_pkg::decision_e wish_o
);

  localparam int unsigned LimitWidth = CountWidth + 7;
  localparam int unsigned RoomWidth = LimitWidth + 1;
  localparam int unsigned GuardWidth = RoomWidth + LaneWidth;

  logic                  enable_q, guarded_q, spare_ab_q, spare_ba_q;
  logic [6:0]            threshold_q;
  logic [LaneWidth-1:0]  lanes_ab_q, lanes_ba_q;

  logic [5:1]            step_q;  // one bit a cycle of the list above
  logic [LimitWidth-1:0] limit_ab_q, limit_ba_q, load_ab_q, load_ba_q;  // in hundredths of a lane-cycle, as all that follow
  // The distance of a direction to its threshold; not above 0: saturated.
  logic signed [RoomWidth-1:0] room_ab_q, room_ba_q;
  logic                  saturated_ab, saturated_ba, saturated_ab_q, saturated_ba_q, may_give;
  logic [RoomWidth-1:0]  giver_room_q;
  logic [LaneWidth-1:0]  giver_lanes;
  logic [LimitWidth-1:0] giver_limit;
  logic [GuardWidth-1:0] guard_q;

  cf_lane_pkg::decision_e wish_d, wish_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q    <= 1'b0;
      guarded_q   <= 1'b0;
      threshold_q <= '0;
      spare_ab_q  <= 1'b0;
      spare_ba_q  <= 1'b0;
      lanes_ab_q  <= '0;
      lanes_ba_q  <= '0;
    end else if (window_end_i) begin
      enable_q    <= enable_i;
      guarded_q   <= guarded_i;
      threshold_q <= threshold_i;
      spare_ab_q  <= spare_ab_i;
      spare_ba_q  <= spare_ba_i;
      lanes_ab_q  <= lanes_ab_i;
      lanes_ba_q  <= lanes_ba_i;
    end
  end

  assign saturated_ab = capacity_ab_i != '0 && room_ab_q <= 0;
  assign saturated_ba = capacity_ba_i != '0 && room_ba_q <= 0;

  always_comb begin
    if (saturated_ab_q) begin
      giver_limit = limit_ba_q;
      giver_lanes = lanes_ba_q;
    end else begin
      giver_limit = limit_ab_q;
      giver_lanes = lanes_ab_q;
    end
  end

  // 100 * busy * lanes < limit * (lanes - 1), with room = limit - 100 * busy. Where it matters, the giver's room is
  // above 0.
  assign may_give = !guarded_q || guard_q > GuardWidth'(giver_limit);

  always_comb begin
    wish_d = cf_lane_pkg::DecisionNone;
    if (enable_q && may_give) begin
      if (saturated_ab_q && !saturated_ba_q && spare_ba_q) begin
        wish_d = cf_lane_pkg::DecisionToAb;
      end else if (saturated_ba_q && !saturated_ab_q && spare_ab_q) begin
        wish_d = cf_lane_pkg::DecisionToBa;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q         <= '0;
      limit_ab_q     <= '0;
      limit_ba_q     <= '0;
      load_ab_q      <= '0;
      load_ba_q      <= '0;
      room_ab_q      <= '0;
      room_ba_q      <= '0;
      saturated_ab_q <= 1'b0;
      saturated_ba_q <= 1'b0;
      giver_room_q   <= '0;
      guard_q        <= '0;
      wish_q         <= cf_lane_pkg::DecisionNone;
    end else begin
      step_q <= {step_q[4:1], totals_i};
      if (step_q[1]) begin
        limit_ab_q <= LimitWidth'(capacity_ab_i) * LimitWidth'(threshold_q);
        limit_ba_q <= LimitWidth'(capacity_ba_i) * LimitWidth'(threshold_q);
        load_ab_q  <= LimitWidth'(busy_ab_i) * LimitWidth'(100);
        load_ba_q  <= LimitWidth'(busy_ba_i) * LimitWidth'(100);
      end
      if (step_q[2]) begin
        room_ab_q <= $signed({1'b0, limit_ab_q}) - $signed({1'b0, load_ab_q});
        room_ba_q <= $signed({1'b0, limit_ba_q}) - $signed({1'b0, load_ba_q});
      end
      if (step_q[3]) begin
        saturated_ab_q <= saturated_ab;
        saturated_ba_q <= saturated_ba;
        giver_room_q   <= saturated_ab ? $unsigned(room_ba_q) : $unsigned(room_ab_q);
      end
      if (step_q[4]) begin
        guard_q <= GuardWidth'(giver_room_q) * GuardWidth'(giver_lanes);
      end
      if (step_q[5]) begin
        wish_q <= wish_d;
      end
    end
  end

  assign wish_o = wish_q;

`ifndef SYNTHESIS
  logic                    valid_q;  // cycle 6: the wish and what it was made from
  logic [4*CountWidth-1:0] totals_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      totals_q <= '0;
    end else begin
      valid_q  <= step_q[5];
      totals_q <= {busy_ab_i, busy_ba_i, capacity_ab_i, capacity_ba_i};
    end
  end

  `CF_ASSERT_SETUP
  // Required of the other side, until the wish is there: no other totals, and no other window.
  logic asked;
  assign asked = step_q != '0;
  `CF_REQUIRE(A20_totals_stay, !(asked && step_q != 5'd1) && !valid_q ||
                               totals_q == {busy_ab_i, busy_ba_i, capacity_ab_i, capacity_ba_i})
  `CF_REQUIRE(A20_window_stays, !asked || !window_end_i && !totals_i)

  // If both want a lane, nothing turns; nor does a lane that its direction needs.
  logic possible, both_full, both_empty;
  assign possible   = valid_q && threshold_q != '0 && threshold_q <= 7'd100 && capacity_ab_i != '0 && capacity_ba_i != '0;
  assign both_full  = possible && busy_ab_i >= capacity_ab_i && busy_ba_i >= capacity_ba_i;
  assign both_empty = possible && busy_ab_i == '0 && busy_ba_i == '0;
  `CF_NEVER_WHERE(A14_both_full_one_wins, both_full, wish_o != cf_lane_pkg::DecisionNone)
  `CF_NEVER_WHERE(A14_both_empty_one_wins, both_empty, wish_o != cf_lane_pkg::DecisionNone)
  `CF_COVER(A14_both_full, both_full && enable_q && spare_ab_q && spare_ba_q)
  `CF_NEVER_WHERE(A4_ab_gives_without_spare, valid_q && !spare_ab_q, wish_o == cf_lane_pkg::DecisionToBa)
  `CF_NEVER_WHERE(A4_ba_gives_without_spare, valid_q && !spare_ba_q, wish_o == cf_lane_pkg::DecisionToAb)
  `CF_COVER(A4_no_spare, valid_q && enable_q && saturated_ab_q && !saturated_ba_q && !spare_ba_q)

  // With demand on one side only, that side gets a lane if the other has one to spare.
  logic only_ab, only_ba;
  assign only_ab = enable_q && possible && spare_ba_q && lanes_ba_q > LaneWidth'(1) && busy_ab_i >= capacity_ab_i &&
                   busy_ba_i == '0;
  assign only_ba = enable_q && possible && spare_ab_q && lanes_ab_q > LaneWidth'(1) && busy_ba_i >= capacity_ba_i &&
                   busy_ab_i == '0;
  `CF_WHERE(A20_ab_gets_one, only_ab, wish_o == cf_lane_pkg::DecisionToAb)
  `CF_WHERE(A20_ba_gets_one, only_ba, wish_o == cf_lane_pkg::DecisionToBa)
  `CF_COVER(A20_only_ab, only_ab)
  `CF_COVER(A20_only_ba, only_ba && guarded_q)
`endif

endmodule
