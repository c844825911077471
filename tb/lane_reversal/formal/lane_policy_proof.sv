// SPDX-License-Identifier: Apache-2.0
// The policy against its documented rules, with every product multiplied out. What its registers hold after each step is
// asserted too, so a step of one cycle suffices.
`include "cf_assert.svh"

module lane_policy_proof #(
  parameter int unsigned CountWidth = 4,
  parameter int unsigned LaneWidth = 3,
  localparam int unsigned RuleWidth = CountWidth + LaneWidth + 9,
  localparam int unsigned LimitWidth = CountWidth + 7,
  localparam int unsigned GuardWidth = LimitWidth + 1 + LaneWidth
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  window_end_i,
  input logic                  enable_i,
  input logic                  guarded_i,
  input logic [6:0]            threshold_i,
  input logic                  spare_ab_i,
  input logic                  spare_ba_i,
  input logic [LaneWidth-1:0]  lanes_ab_i,
  input logic [LaneWidth-1:0]  lanes_ba_i,
  input logic                  totals_i,
  input logic [CountWidth-1:0] busy_ab_i,
  input logic [CountWidth-1:0] busy_ba_i,
  input logic [CountWidth-1:0] capacity_ab_i,
  input logic [CountWidth-1:0] capacity_ba_i
);

  initial assume (!rst_ni);

  cf_lane_pkg::decision_e wish;

  // Registers of the policy.
  (* hierconn *) wire                 \u_dut.enable_q ;
  (* hierconn *) wire                 \u_dut.guarded_q ;
  (* hierconn *) wire                 \u_dut.spare_ab_q ;
  (* hierconn *) wire                 \u_dut.spare_ba_q ;
  (* hierconn *) wire [6:0]           \u_dut.threshold_q ;
  (* hierconn *) wire [LaneWidth-1:0] \u_dut.lanes_ab_q ;
  (* hierconn *) wire [LaneWidth-1:0] \u_dut.lanes_ba_q ;
  (* hierconn *) wire [5:1]           \u_dut.step_q ;
  (* hierconn *) wire                 \u_dut.valid_q ;
  (* hierconn *) wire [LimitWidth-1:0] \u_dut.limit_ab_q ;
  (* hierconn *) wire [LimitWidth-1:0] \u_dut.limit_ba_q ;
  (* hierconn *) wire [LimitWidth-1:0] \u_dut.load_ab_q ;
  (* hierconn *) wire [LimitWidth-1:0] \u_dut.load_ba_q ;
  (* hierconn *) wire [LimitWidth:0]   \u_dut.room_ab_q ;
  (* hierconn *) wire [LimitWidth:0]   \u_dut.room_ba_q ;
  (* hierconn *) wire [LimitWidth:0]   \u_dut.giver_room_q ;
  (* hierconn *) wire                  \u_dut.saturated_ab_q ;
  (* hierconn *) wire                  \u_dut.saturated_ba_q ;
  (* hierconn *) wire [GuardWidth-1:0] \u_dut.guard_q ;

  cf_lane_policy #(.CountWidth(CountWidth), .LaneWidth(LaneWidth)) u_dut (
    .clk_i, .rst_ni, .window_end_i, .enable_i, .guarded_i, .threshold_i, .spare_ab_i, .spare_ba_i, .lanes_ab_i,
    .lanes_ba_i, .totals_i, .busy_ab_i, .busy_ba_i, .capacity_ab_i, .capacity_ba_i, .wish_o(wish)
  );

  // What the policy has stored of the window, kept here a second time.
  logic                 enable_q, guarded_q, spare_ab_q, spare_ba_q;
  logic [6:0]           threshold_q;
  logic [LaneWidth-1:0] lanes_ab_q, lanes_ba_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {enable_q, guarded_q, spare_ab_q, spare_ba_q, threshold_q, lanes_ab_q, lanes_ba_q} <= '0;
    end else if (window_end_i) begin
      enable_q    <= enable_i;
      guarded_q   <= guarded_i;
      spare_ab_q  <= spare_ab_i;
      spare_ba_q  <= spare_ba_i;
      threshold_q <= threshold_i;
      lanes_ab_q  <= lanes_ab_i;
      lanes_ba_q  <= lanes_ba_i;
    end
  end

  // The wish is valid PolicyCycles after the totals came.
  logic [cf_lane_pkg::PolicyCycles-1:0] since_q;
  logic                                 valid;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_q <= '0;
    end else begin
      since_q <= {since_q[cf_lane_pkg::PolicyCycles-2:0], totals_i};
    end
  end
  assign valid = since_q[cf_lane_pkg::PolicyCycles-1];

  logic [RuleWidth-1:0] busy_ab, busy_ba, limit_ab, limit_ba;
  logic [LimitWidth:0]  room_ab, room_ba;
  logic                 saturated_ab, saturated_ba, ab_may_give, ba_may_give;

  assign busy_ab  = RuleWidth'(busy_ab_i) * RuleWidth'(100);
  assign busy_ba  = RuleWidth'(busy_ba_i) * RuleWidth'(100);
  assign limit_ab = RuleWidth'(capacity_ab_i) * RuleWidth'(threshold_q);
  assign limit_ba = RuleWidth'(capacity_ba_i) * RuleWidth'(threshold_q);

  assign room_ab = limit_ab[LimitWidth:0] - busy_ab[LimitWidth:0];
  assign room_ba = limit_ba[LimitWidth:0] - busy_ba[LimitWidth:0];

  assign saturated_ab = capacity_ab_i != '0 && busy_ab >= limit_ab;
  assign saturated_ba = capacity_ba_i != '0 && busy_ba >= limit_ba;

  assign ab_may_give = spare_ab_q && (!guarded_q || busy_ab * RuleWidth'(lanes_ab_q) <
                                                        limit_ab * (RuleWidth'(lanes_ab_q) - RuleWidth'(1)));
  assign ba_may_give = spare_ba_q && (!guarded_q || busy_ba * RuleWidth'(lanes_ba_q) <
                                                        limit_ba * (RuleWidth'(lanes_ba_q) - RuleWidth'(1)));

  // A direction that has a lane to spare has one; none is busier than possible (A11_busier_than_possible of the block).
  always @(posedge clk_i) begin
    assume ((lanes_ab_i != '0 || !spare_ab_i) && (lanes_ba_i != '0 || !spare_ba_i));
    assume (busy_ab_i <= capacity_ab_i && busy_ba_i <= capacity_ba_i);
  end

  `CF_ASSERT_SETUP
  // For the proof, which begins in any state.
  `CF_ASSERT(P_same_window, {\u_dut.enable_q , \u_dut.guarded_q , \u_dut.spare_ab_q , \u_dut.spare_ba_q ,
                             \u_dut.threshold_q , \u_dut.lanes_ab_q , \u_dut.lanes_ba_q } ==
                            {enable_q, guarded_q, spare_ab_q, spare_ba_q, threshold_q, lanes_ab_q, lanes_ba_q})
  `CF_ASSERT(P_spare_lanes, (lanes_ab_q != '0 || !spare_ab_q) && (lanes_ba_q != '0 || !spare_ba_q))
  `CF_ASSERT(P_one_step, (\u_dut.step_q & (\u_dut.step_q - 5'd1)) == '0)
  `CF_ASSERT(P_same_steps, {\u_dut.valid_q , \u_dut.step_q } == since_q)
  `CF_ASSERT(P_products, since_q[5:1] == '0 || (\u_dut.limit_ab_q == LimitWidth'(limit_ab) &&
                         \u_dut.limit_ba_q == LimitWidth'(limit_ba) && \u_dut.load_ab_q == LimitWidth'(busy_ab) &&
                         \u_dut.load_ba_q == LimitWidth'(busy_ba)))
  `CF_ASSERT(P_rooms, since_q[5:2] == '0 || (\u_dut.room_ab_q == room_ab && \u_dut.room_ba_q == room_ba))
  `CF_ASSERT(P_saturated, since_q[5:3] == '0 || (\u_dut.saturated_ab_q == saturated_ab &&
                          \u_dut.saturated_ba_q == saturated_ba &&
                          \u_dut.giver_room_q == (saturated_ab ? \u_dut.room_ba_q : \u_dut.room_ab_q )))
  `CF_ASSERT(P_guard, since_q[5:4] == '0 || \u_dut.guard_q == GuardWidth'(\u_dut.giver_room_q ) *
                      GuardWidth'(saturated_ab ? lanes_ba_q : lanes_ab_q))
  `CF_WHERE(P_to_ab_as_ruled, valid,
            (wish == cf_lane_pkg::DecisionToAb) == (enable_q && saturated_ab && !saturated_ba && ba_may_give))
  `CF_WHERE(P_to_ba_as_ruled, valid,
            (wish == cf_lane_pkg::DecisionToBa) == (enable_q && saturated_ba && !saturated_ab && ab_may_give))
  `CF_COVER(P_guard_refuses, valid && enable_q && guarded_q && saturated_ab && !saturated_ba && spare_ba_q && !ba_may_give)
  `CF_COVER(P_guard_lets, valid && guarded_q && busy_ba_i != '0 && wish == cf_lane_pkg::DecisionToAb)
  `CF_COVER(P_exactly_saturated, valid && busy_ab == limit_ab && wish == cf_lane_pkg::DecisionToAb)

endmodule
