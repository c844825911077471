// SPDX-License-Identifier: Apache-2.0
// The lanes that leave, against the rules written as loops, for any lanes in any state. The map has no state.
`include "cf_assert.svh"

module lane_map_proof #(
  parameter int unsigned Lanes = 8,
  localparam int unsigned LaneWidth = $clog2(Lanes + 1)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [Lanes-1:0]     serving_i,
  input logic [Lanes-1:0]     failed_i,
  input logic [Lanes-1:0]     to_ba_i,
  input logic [LaneWidth-1:0] min_lanes_i,
  input logic                 running_i,
  input logic                 launch_i,
  input logic                 under_way_i,
  input logic                 due_ab_i,
  input logic                 due_ba_i
);

  logic [Lanes-1:0]     serving_ab, serving_ba, turning, leave, back;
  logic [LaneWidth-1:0] working, half;
  logic                 repair, spare_ab, spare_ba;

  assign serving_ab = serving_i & ~to_ba_i;
  assign serving_ba = serving_i & to_ba_i;
  assign turning    = ~serving_i & ~failed_i;
  assign half       = working >> 1;

  // As the controller sees to: a lane is in one state, and the minimum is at most half of the lanes.
  always @(posedge clk_i) begin
    assume ((serving_i & failed_i) == '0);
    assume (min_lanes_i != '0 && min_lanes_i <= LaneWidth'(Lanes / 2));
    assume (!(due_ab_i && due_ba_i));
  end

  cf_lane_map #(.Lanes(Lanes)) u_dut (
    .serving_ab_i(serving_ab), .serving_ba_i(serving_ba), .turning_i(turning), .failed_i, .to_ba_i, .lanes_ab_o(),
    .lanes_ba_o(), .turning_o(), .failed_o(), .have_ab_o(), .running_i, .half_i(half), .odd_i(working[0]), .min_lanes_i,
    .spare_ab_o(spare_ab), .spare_ba_o(spare_ba), .repair_o(repair), .launch_i, .under_way_i, .due_ab_i, .due_ba_i,
    .leave_o(leave), .back_o(back)
  );

  // The rules. Surplus lanes of A->B leave from the last one down, those of B->A from the first one up.
  logic [LaneWidth-1:0] lanes_ab, lanes_ba, have_ab, have_ba, share_ab, share_ba, left_ab, left_ba;
  logic [Lanes-1:0]     should_leave, should_go_back;
  logic                 lacks_ab, lacks_ba;

  always_comb begin
    working  = '0;
    lanes_ab = '0;
    lanes_ba = '0;
    have_ab  = '0;
    have_ba  = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      working  = working + LaneWidth'(!failed_i[i]);
      lanes_ab = lanes_ab + LaneWidth'(serving_ab[i]);
      lanes_ba = lanes_ba + LaneWidth'(serving_ba[i]);
      have_ab  = have_ab + LaneWidth'(!failed_i[i] && !to_ba_i[i]);
      have_ba  = have_ba + LaneWidth'(!failed_i[i] && to_ba_i[i]);
    end
    share_ab = half;
    if (working[0] && have_ab > have_ba) begin
      share_ab = half + LaneWidth'(1);
    end
    share_ba = working - share_ab;
  end

  assign lacks_ab = running_i && have_ab < min_lanes_i && lanes_ba > min_lanes_i;
  assign lacks_ba = running_i && have_ba < min_lanes_i && lanes_ab > min_lanes_i;

  always_comb begin
    should_leave   = '0;
    should_go_back = '0;
    left_ab = '0;
    left_ba = '0;
    if (launch_i) begin
      left_ab = lanes_ab > share_ab ? lanes_ab - share_ab : '0;
      left_ba = lanes_ba > share_ba ? lanes_ba - share_ba : '0;
      if (under_way_i && have_ab > share_ab) begin
        should_go_back = should_go_back | (turning & ~to_ba_i);
      end
      if (under_way_i && have_ba > share_ba) begin
        should_go_back = should_go_back | (turning & to_ba_i);
      end
    end else begin
      left_ab = LaneWidth'(lacks_ba || (due_ba_i && lanes_ab > min_lanes_i));
      left_ba = LaneWidth'(lacks_ab || (due_ab_i && lanes_ba > min_lanes_i));
    end
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (serving_ba[i] && left_ba != '0) begin
        should_leave[i] = 1'b1;
        left_ba         = left_ba - LaneWidth'(1);
      end
      if (serving_ab[Lanes-1-i] && left_ab != '0) begin
        should_leave[Lanes-1-i] = 1'b1;
        left_ab                 = left_ab - LaneWidth'(1);
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_ASSERT(P_leave_as_ruled, leave == should_leave)
  `CF_ASSERT(P_back_as_ruled, back == should_go_back)
  `CF_ASSERT(P_spare_as_ruled, spare_ab == (lanes_ab > min_lanes_i) && spare_ba == (lanes_ba > min_lanes_i))
  `CF_ASSERT(P_repair_as_ruled, repair == (lacks_ab || lacks_ba))
  `CF_COVER(P_two_leave, launch_i && (leave & (leave - Lanes'(1))) != '0)
  `CF_COVER(P_odd_one_stays, launch_i && working[0] && lanes_ab == half + LaneWidth'(1) && leave == '0)
  `CF_COVER(P_goes_back, back != '0)
  `CF_COVER(P_repairs, repair && leave != '0)

endmodule
