// SPDX-License-Identifier: Apache-2.0
// How busy both directions were in the window: lane-cycles that carried a phit, and all lane-cycles. A window is
// sample_time_i cycles from the launch, or from the end of the previous one. Nothing is counted before the first
// launch.
// Timing: window_end_o is high in a window's last cycle, and the totals then are the window's, that cycle included
// (combinational from issue_*_i). launch_i in a cycle: the next one is the first of a window, in any case.
// sample_time_i may change with the first cycle of a window only, and is not 0.
`include "cf_assert.svh"

module cf_lane_monitor #(
  parameter int unsigned Lanes = 16,        // physical lanes of the link
  parameter int unsigned TimeWidth = 20,    // bits of sample_time_i
  parameter int unsigned CountWidth = 24,   // bits of the totals
  localparam int unsigned LaneWidth = $clog2(Lanes + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  launch_i,
  input  logic                  running_i,   // there was a launch
  input  logic [TimeWidth-1:0]  sample_time_i,
  input  logic [LaneWidth-1:0]  lanes_ab_i,  // lanes that serve in this cycle
  input  logic [LaneWidth-1:0]  lanes_ba_i,
  input  logic [Lanes-1:0]      issue_ab_i,  // phits put on lanes in this cycle
  input  logic [Lanes-1:0]      issue_ba_i,
  output logic                  window_end_o,
  output logic [TimeWidth-1:0]  cycle_o,     // register: cycles of the window that have gone
  output logic [CountWidth-1:0] busy_ab_o,
  output logic [CountWidth-1:0] busy_ba_o,
  output logic [CountWidth-1:0] capacity_ab_o,
  output logic [CountWidth-1:0] capacity_ba_o
);

  if (CountWidth < LaneWidth) begin : gen_check_count_width
    $fatal(1, "%m: CountWidth is %0d, the number of lanes takes %0d", CountWidth, LaneWidth);
  end

  logic [TimeWidth-1:0]  cycle_q;  // cycles of the window so far
  logic [TimeWidth-1:0]  cycles;   // with this one
  logic [CountWidth-1:0] busy_ab_q, busy_ba_q, capacity_ab_q, capacity_ba_q;  // before this cycle
  logic [LaneWidth-1:0]  issued_ab, issued_ba;

  assign cycle_o      = cycle_q;
  assign cycles       = cycle_q + TimeWidth'(1);
  assign window_end_o = running_i && cycles == sample_time_i;

  cf_count_ones #(.Width(Lanes)) u_issued_ab (.bits_i(issue_ab_i), .count_o(issued_ab));
  cf_count_ones #(.Width(Lanes)) u_issued_ba (.bits_i(issue_ba_i), .count_o(issued_ba));

  cf_saturating_add #(.Width(CountWidth), .AddWidth(LaneWidth)) u_busy_ab (
    .value_i(busy_ab_q), .add_i(issued_ab), .sum_o(busy_ab_o)
  );
  cf_saturating_add #(.Width(CountWidth), .AddWidth(LaneWidth)) u_busy_ba (
    .value_i(busy_ba_q), .add_i(issued_ba), .sum_o(busy_ba_o)
  );
  cf_saturating_add #(.Width(CountWidth), .AddWidth(LaneWidth)) u_capacity_ab (
    .value_i(capacity_ab_q), .add_i(lanes_ab_i), .sum_o(capacity_ab_o)
  );
  cf_saturating_add #(.Width(CountWidth), .AddWidth(LaneWidth)) u_capacity_ba (
    .value_i(capacity_ba_q), .add_i(lanes_ba_i), .sum_o(capacity_ba_o)
  );

  // A window's last cycle is in its totals; the next begins from nothing.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q       <= '0;
      busy_ab_q     <= '0;
      busy_ba_q     <= '0;
      capacity_ab_q <= '0;
      capacity_ba_q <= '0;
    end else begin
      if (launch_i || window_end_o || !running_i) begin
        cycle_q       <= '0;
        busy_ab_q     <= '0;
        busy_ba_q     <= '0;
        capacity_ab_q <= '0;
        capacity_ba_q <= '0;
      end else begin
        cycle_q       <= cycles;
        busy_ab_q     <= busy_ab_o;
        busy_ba_q     <= busy_ba_o;
        capacity_ab_q <= capacity_ab_o;
        capacity_ba_q <= capacity_ba_o;
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_ASSERT(A11_totals_never_wrap,
             busy_ab_o >= busy_ab_q && busy_ba_o >= busy_ba_q && capacity_ab_o >= capacity_ab_q &&
             capacity_ba_o >= capacity_ba_q)
  `CF_NEXT(A11_boundary_clears, window_end_o || launch_i,
           cycle_q == '0 && busy_ab_q == '0 && busy_ba_q == '0 && capacity_ab_q == '0 && capacity_ba_q == '0)

endmodule
