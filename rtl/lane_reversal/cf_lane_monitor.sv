// SPDX-License-Identifier: Apache-2.0
// How busy both directions were in the window: lane-cycles that carried a phit, and all lane-cycles. A window is
// sample_time_i cycles from the launch, or from the end of the previous one. Nothing is counted before the first
// launch.
// Timing: window_end_o is high in a window's last cycle. What is put on lanes in a cycle is in the totals of
// MonitorCycles later: one for the register at the input, one for its count. So totals_o is high, and the totals are the
// window's, MonitorCycles after window_end_o. launch_i in a cycle: the next one is the first of a window, in any case.
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
  output logic                  totals_o,    // register: these are the totals of a whole window
  output logic [CountWidth-1:0] busy_ab_o,
  output logic [CountWidth-1:0] busy_ba_o,
  output logic [CountWidth-1:0] capacity_ab_o,
  output logic [CountWidth-1:0] capacity_ba_o
);

  if (CountWidth <= LaneWidth) begin : gen_check_count_width
    $fatal(1, "%m: CountWidth is %0d, the number of lanes takes %0d", CountWidth, LaneWidth);
  end

  logic [TimeWidth-1:0]  cycle_q;  // cycles of the window so far
  logic [TimeWidth-1:0]  cycles;   // with this one
  logic                  boundary; // a window begins with the next cycle
  logic [1:0]            boundary_q, end_q;  // of the cycle before, and of the one before that
  logic [Lanes-1:0]      issue_ab_q, issue_ba_q;  // of the cycle before
  logic [LaneWidth-1:0]  issued_ab, issued_ba;
  logic [LaneWidth-1:0]  lanes_ab_q, lanes_ba_q;  // of the cycle before
  logic [LaneWidth-1:0]  issued_ab_q, issued_ba_q, served_ab_q, served_ba_q;  // of the one before that
  logic [CountWidth-1:0] busy_ab_q, busy_ba_q, capacity_ab_q, capacity_ba_q;  // before that one

  assign cycle_o      = cycle_q;
  assign cycles       = cycle_q + TimeWidth'(1);
  assign window_end_o = running_i && cycles == sample_time_i;
  assign boundary     = launch_i || window_end_o || !running_i;

  cf_count_ones #(.Width(Lanes)) u_issued_ab (.bits_i(issue_ab_q), .count_o(issued_ab));
  cf_count_ones #(.Width(Lanes)) u_issued_ba (.bits_i(issue_ba_q), .count_o(issued_ba));

  cf_saturating_add #(.Width(CountWidth), .AddWidth(LaneWidth)) u_busy_ab (
    .value_i(busy_ab_q), .add_i(issued_ab_q), .sum_o(busy_ab_o)
  );
  cf_saturating_add #(.Width(CountWidth), .AddWidth(LaneWidth)) u_busy_ba (
    .value_i(busy_ba_q), .add_i(issued_ba_q), .sum_o(busy_ba_o)
  );
  cf_saturating_add #(.Width(CountWidth), .AddWidth(LaneWidth)) u_capacity_ab (
    .value_i(capacity_ab_q), .add_i(served_ab_q), .sum_o(capacity_ab_o)
  );
  cf_saturating_add #(.Width(CountWidth), .AddWidth(LaneWidth)) u_capacity_ba (
    .value_i(capacity_ba_q), .add_i(served_ba_q), .sum_o(capacity_ba_o)
  );

  assign totals_o = end_q[1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q     <= '0;
      boundary_q  <= '0;
      end_q       <= '0;
      issue_ab_q  <= '0;
      issue_ba_q  <= '0;
      lanes_ab_q  <= '0;
      lanes_ba_q  <= '0;
      issued_ab_q <= '0;
      issued_ba_q <= '0;
      served_ab_q <= '0;
      served_ba_q <= '0;
    end else begin
      if (boundary) begin
        cycle_q <= '0;
      end else begin
        cycle_q <= cycles;
      end
      boundary_q  <= {boundary_q[0], boundary};
      end_q       <= {end_q[0], window_end_o};
      issue_ab_q  <= issue_ab_i;
      issue_ba_q  <= issue_ba_i;
      lanes_ab_q  <= lanes_ab_i;
      lanes_ba_q  <= lanes_ba_i;
      issued_ab_q <= issued_ab;
      issued_ba_q <= issued_ba;
      served_ab_q <= lanes_ab_q;
      served_ba_q <= lanes_ba_q;
    end
  end

  // A window's last cycle is in its totals; the next begins from nothing.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_ab_q     <= '0;
      busy_ba_q     <= '0;
      capacity_ab_q <= '0;
      capacity_ba_q <= '0;
    end else begin
      if (boundary_q[1]) begin
        busy_ab_q     <= '0;
        busy_ba_q     <= '0;
        capacity_ab_q <= '0;
        capacity_ba_q <= '0;
      end else begin
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
  // No direction carries more than its lanes.
  `CF_ASSERT(A11_no_more_than_lanes, ones(issue_ab_i) <= lanes_ab_i && ones(issue_ba_i) <= lanes_ba_i)
  `CF_ASSERT(A11_no_more_than_served, ones(issue_ab_q) <= lanes_ab_q && ones(issue_ba_q) <= lanes_ba_q &&
                                      issued_ab_q <= served_ab_q && issued_ba_q <= served_ba_q)

  `CF_NEVER(A11_busier_than_possible, busy_ab_o > capacity_ab_o || busy_ba_o > capacity_ba_o)

  // The totals by a plain sum without registers, with a bit more: `sum` of the window of the cycle before, with that cycle;
  // `whole` of the window that ended last.
  localparam int unsigned PlainWidth = CountWidth + 1;
`ifndef SYNTHESIS
  function automatic logic [LaneWidth-1:0] ones(input logic [Lanes-1:0] bits);
    ones = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      ones = ones + LaneWidth'(bits[i]);
    end
  endfunction

  function automatic logic [4*PlainWidth-1:0] added(input logic [4*PlainWidth-1:0] a, input logic [4*PlainWidth-1:0] b);
    for (int unsigned i = 0; i < 4; i++) begin
      added[PlainWidth*i+:PlainWidth] = a[PlainWidth*i+:PlainWidth] + b[PlainWidth*i+:PlainWidth];
    end
  endfunction

  localparam int unsigned WideWidth = CountWidth + LaneWidth + 1;
  function automatic logic [WideWidth-1:0] both(input logic [2*PlainWidth-1:0] capacities);
    both = WideWidth'(capacities[2*PlainWidth-1:PlainWidth]) + WideWidth'(capacities[PlainWidth-1:0]);
  endfunction
  localparam logic [WideWidth-1:0] Most = WideWidth'(2 ** TimeWidth - 1) * WideWidth'(Lanes);

  logic [4*PlainWidth-1:0] put, put_q, seen, sum, sum_q, whole_q, shown;  // busy, then capacity, of A->B and B->A
  assign put   = {PlainWidth'(ones(issue_ab_i)), PlainWidth'(ones(issue_ba_i)), PlainWidth'(lanes_ab_i),
                  PlainWidth'(lanes_ba_i)};
  assign put_q = {PlainWidth'(ones(issue_ab_q)), PlainWidth'(ones(issue_ba_q)), PlainWidth'(lanes_ab_q),
                  PlainWidth'(lanes_ba_q)};
  assign shown = {1'b0, busy_ab_o, 1'b0, busy_ba_o, 1'b0, capacity_ab_o, 1'b0, capacity_ba_o};
  assign seen  = boundary_q[1] ? '0 : shown;  // what that window had before that cycle
  assign sum   = added(boundary_q[0] ? '0 : sum_q, put);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_q   <= '0;
      whole_q <= '0;
    end else begin
      sum_q <= sum;
      if (window_end_o) begin
        whole_q <= sum;
      end
    end
  end
`endif

  // No sum gets as large as its counter.
  `CF_WHERE(A11_totals_possible, !boundary_q[0], both(sum_q[2*PlainWidth-1:0]) <= WideWidth'(cycle_q) * WideWidth'(Lanes))
  `CF_ASSERT(A11_whole_possible, both(sum_q[2*PlainWidth-1:0]) <= Most && both(whole_q[2*PlainWidth-1:0]) <= Most &&
                                 both(shown[2*PlainWidth-1:0]) <= Most)
  // The outer lanes never turn, so no direction has all of them.
  `CF_ASSERT(A11_lanes_possible, WideWidth'(lanes_ab_i) + WideWidth'(lanes_ba_i) <= WideWidth'(Lanes) &&
                                 WideWidth'(lanes_ab_q) + WideWidth'(lanes_ba_q) <= WideWidth'(Lanes) &&
                                 lanes_ab_i < LaneWidth'(Lanes) && lanes_ba_i < LaneWidth'(Lanes) &&
                                 lanes_ab_q < LaneWidth'(Lanes) && lanes_ba_q < LaneWidth'(Lanes))
  `CF_NEVER(A11_outer_lanes_turned, issue_ba_i[0] || issue_ba_q[0] || issue_ab_i[Lanes-1] || issue_ab_q[Lanes-1])
  // So nothing larger is added to a total.
  `CF_ASSERT(A11_sums_possible, issued_ab_q <= LaneWidth'(Lanes) && issued_ba_q <= LaneWidth'(Lanes) &&
                                served_ab_q < LaneWidth'(Lanes) && served_ba_q < LaneWidth'(Lanes))
  `CF_ASSERT(A11_nothing_lost, sum_q == added(seen, put_q))
  `CF_WHERE(A11_last_phit_counts, end_q[0], whole_q == sum_q)
  `CF_WHERE(A11_totals_exact, totals_o, whole_q == shown)

  `CF_NEXT(A10_boundary_restarts, window_end_o || launch_i, cycle_q == '0)
  `CF_NEXT(A11_boundary_clears, boundary_q[1],
           busy_ab_q == '0 && busy_ba_q == '0 && capacity_ab_q == '0 && capacity_ba_q == '0)

endmodule
