// SPDX-License-Identifier: Apache-2.0
// The block with small parameters and free inputs. The bus protocol (A16, A17) and a reset at the start are assumed;
// later resets, launches, faults and phits come in any order. With Quiet there are no later resets and no writes: fewer
// paths, for proofs of reachability.
`include "cf_assert.svh"

module lane_reversal_proof #(
  parameter int unsigned LanesPerDirection = 2,
  parameter int unsigned TimeWidth = 3,
  parameter int unsigned PathWidth = 2,
  parameter int unsigned SampleTime = 2,
  parameter int unsigned SwitchTime = 2,
  parameter int unsigned Drain = 1,
  parameter int unsigned SyncLatency = 2,
  parameter int unsigned Latency = 2,      // cycles of a decision; those of the real policy are cf_lane_pkg::DecisionCycles
  parameter bit          Quiet = 1'b0,
  localparam int unsigned Lanes = 2 * LanesPerDirection
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             psel_i,
  input logic             penable_i,
  input logic             pwrite_i,
  input logic [7:0]       paddr_i,
  input logic [31:0]      pwdata_i,
  input logic             launch_i,
  input logic [Lanes-1:0] lane_fault_i,
  input logic [Lanes-1:0] a_valid_i,
  input logic [Lanes-1:0] b_valid_i
);

  initial assume (!rst_ni);

  if (Quiet) begin : gen_quiet
    logic begun_q;
    initial begun_q = 1'b0;
    always @(posedge clk_i) begin
      begun_q <= 1'b1;
      assume (!psel_i && !penable_i && (rst_ni || !begun_q));
    end
  end

  cf_lane_reversal #(
    .LanesPerDirection(LanesPerDirection), .TimeWidth(TimeWidth), .PathWidth(PathWidth), .SampleTime(SampleTime),
    .SwitchTime(SwitchTime), .Drain(Drain), .SyncLatency(SyncLatency), .Latency(Latency)
  ) u_dut (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .prdata_o(), .pready_o(), .pslverr_o(),
    .irq_o(), .launch_i, .lane_fault_i, .a_valid_i, .a_serve_o(), .a_drive_o(), .b_valid_i, .b_serve_o(),
    .b_drive_o(), .running_o(), .idle_o(), .lanes_ab_o(), .lanes_ba_o(), .turning_o(), .failed_o(), .window_end_o(),
    .decision_o(), .pending_o(), .under_way_o(), .totals_o(), .busy_ab_o(), .busy_ba_o(), .capacity_ab_o(), .capacity_ba_o()
  );

  // For proofs that begin in any state: what the monitor and the decision know of a window's end.
  (* hierconn *) wire [1:0]           \u_dut.u_monitor.end_q ;
  (* hierconn *) wire [TimeWidth-1:0] \u_dut.u_core.u_checks.since_q ;

  (* hierconn *) wire [$clog2(Latency+1)-1:0] \u_dut.u_core.u_decision.deciding_q ;

  (* hierconn *) wire \u_dut.u_core.u_decision.may_q ;
  (* hierconn *) wire \u_dut.u_core.u_decision.dropped_q ;
  (* hierconn *) wire \u_dut.u_core.u_checks.calm_q ;
  (* hierconn *) wire \u_dut.u_core.u_checks.settled_q ;
  (* hierconn *) wire \u_dut.u_core.u_checks.dropped_q ;

  `CF_ASSERT_SETUP
  `CF_ASSERT(P_same_window, \u_dut.u_core.u_checks.since_q == '0 || (
                            \u_dut.u_core.u_decision.may_q ==
                            (\u_dut.u_core.u_checks.calm_q && \u_dut.u_core.u_checks.settled_q ) &&
                            \u_dut.u_core.u_decision.dropped_q == \u_dut.u_core.u_checks.dropped_q ))
  `CF_ASSERT(P_decides_in_time, TimeWidth'(\u_dut.u_core.u_decision.deciding_q ) ==
                                (\u_dut.u_core.u_checks.since_q == '0 ? '0 :
                                 TimeWidth'(Latency + 1) - \u_dut.u_core.u_checks.since_q ))
  `CF_ASSERT(P_ends_in_time, \u_dut.u_monitor.end_q [0] == (\u_dut.u_core.u_checks.since_q == TimeWidth'(1)) &&
                             \u_dut.u_monitor.end_q [1] == (\u_dut.u_core.u_checks.since_q == TimeWidth'(2)))

endmodule
