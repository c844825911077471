// SPDX-License-Identifier: Apache-2.0
// The turn that a window's end decides, until its lane serves again.
//
//   state         | what it means                              | until
//   TurnIdle      | nothing was decided                        | a window's end decides
//   TurnSync      | the two ends' samples meet; it then holds  | sync_latency_i cycles have gone
//   TurnUnderWay  | of all lanes only the decision's may turn  | no lane turns
// launch_i or repair_i in any state: TurnIdle. The decision is dropped; a lane that has left no longer belongs to the
// decision.
//
// Timing: a window's last cycle settles whether it may decide: nothing is decided while a lane turns, while a decision is
// on its way, or while a written setting waits. Latency cycles later wish_i is the policy's for that window, and
// decision_o shows what was decided, even if it has been dropped meanwhile. ask_o: MonitorCycles after the window's last
// cycle, when its totals are there, the policy begins. sync_latency_i, at least Latency, counts from
// the window's last cycle, too. due_*_o and go_o are combinational in the cycle before the lane leaves, sync_latency_i
// cycles after the window's last. If a lane has failed since then, and there is no spare lane, no lane leaves. Windows are at least
// Latency cycles long.
`include "cf_assert.svh"

module cf_lane_decision #(
  parameter int unsigned SyncWidth = 12,  // bits of sync_latency_i
  parameter int unsigned Latency = cf_lane_pkg::DecisionCycles,
  localparam int unsigned LatencyWidth = $clog2(Latency + 1)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     launch_i,
  input  logic                     repair_i,      // a lane leaves with the next cycle for a repair
  input  logic                     window_end_i,
  input  logic                     settled_i,     // no written setting waits
  input  cf_lane_pkg::decision_e   wish_i,        // Latency cycles after window_end_i
  input  logic                     turning_i,     // any lane
  input  logic                     spare_ab_i,    // has more lanes than the minimum
  input  logic                     spare_ba_i,
  input  logic [SyncWidth-1:0]     sync_latency_i,
  output logic                     deciding_o,    // register: decision_o is still to come, or comes in this cycle
  output logic                     ask_o,         // the window's totals are there with the next cycle
  output cf_lane_pkg::decision_e   decision_o,
  output logic                     decided_o,     // it is one, and was not dropped
  output cf_lane_pkg::decision_e   pending_o,     // register: the decision on its way
  output logic                     under_way_o,   // register: a turning lane belongs to the decision
  output logic [SyncWidth-1:0]     left_o,        // register: cycles left of the sync latency, with this one
  output logic                     due_ab_o,      // a lane of B->A leaves, to serve A->B, unless there is none to spare
  output logic                     due_ba_o,
  output logic                     go_o           // it does, and the decision was not dropped
);

  cf_lane_pkg::turn_e   state_d, state_q;
  logic                 to_ba_d, to_ba_q;
  logic [SyncWidth-1:0] wait_d, wait_q;  // cycles left of the sync latency, with this one
  logic                 dropped, due, at_once;

  // The window that ended last.
  logic [LatencyWidth-1:0] deciding_q;  // cycles until decision_o, with this one
  logic                    may_q;       // it may decide
  logic                    dropped_q;   // and has been dropped

  assign dropped = launch_i || repair_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      deciding_q <= '0;
      may_q      <= 1'b0;
      dropped_q  <= 1'b0;
    end else if (window_end_i) begin
      deciding_q <= LatencyWidth'(Latency);
      may_q      <= settled_i && !turning_i && !repair_i && !decided_o && state_q != cf_lane_pkg::TurnSync;
      dropped_q  <= dropped;
    end else if (deciding_q != '0) begin
      deciding_q <= deciding_q - LatencyWidth'(1);
      dropped_q  <= dropped_q || dropped;
    end
  end

  assign deciding_o = deciding_q != '0;
  assign ask_o      = deciding_q == LatencyWidth'(Latency + 1 - cf_lane_pkg::MonitorCycles);

  always_comb begin
    decision_o = cf_lane_pkg::DecisionNone;
    if (deciding_q == LatencyWidth'(1) && may_q) begin
      decision_o = wish_i;
    end
  end

  assign decided_o = decision_o != cf_lane_pkg::DecisionNone && !dropped_q;
  assign at_once   = sync_latency_i == SyncWidth'(Latency);
  assign due       = state_q == cf_lane_pkg::TurnSync && wait_q == SyncWidth'(1);
  assign due_ab_o  = (due && !to_ba_q) || (decided_o && at_once && decision_o == cf_lane_pkg::DecisionToAb);
  assign due_ba_o  = (due && to_ba_q) || (decided_o && at_once && decision_o == cf_lane_pkg::DecisionToBa);
  assign go_o      = ((due_ab_o && spare_ba_i) || (due_ba_o && spare_ab_i)) && !dropped;

  always_comb begin
    state_d = state_q;
    to_ba_d = to_ba_q;
    wait_d  = '0;
    if (decided_o) begin
      to_ba_d = decision_o == cf_lane_pkg::DecisionToBa;
    end
    if (go_o) begin
      state_d = cf_lane_pkg::TurnUnderWay;
    end else if (dropped || due) begin
      state_d = cf_lane_pkg::TurnIdle;
    end else if (decided_o) begin
      state_d = cf_lane_pkg::TurnIdle;
      if (!at_once) begin
        state_d = cf_lane_pkg::TurnSync;
        wait_d  = sync_latency_i - SyncWidth'(Latency);
      end
    end else if (state_q == cf_lane_pkg::TurnSync) begin
      wait_d  = wait_q - SyncWidth'(1);
    end else if (!turning_i) begin
      state_d = cf_lane_pkg::TurnIdle;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= cf_lane_pkg::TurnIdle;
      to_ba_q <= 1'b0;
      wait_q  <= '0;
    end else begin
      state_q <= state_d;
      to_ba_q <= to_ba_d;
      wait_q  <= wait_d;
    end
  end

  always_comb begin
    pending_o = cf_lane_pkg::DecisionNone;
    if (state_q == cf_lane_pkg::TurnSync) begin
      if (to_ba_q) begin
        pending_o = cf_lane_pkg::DecisionToBa;
      end else begin
        pending_o = cf_lane_pkg::DecisionToAb;
      end
    end
  end

  assign left_o      = wait_q;
  assign under_way_o = state_q == cf_lane_pkg::TurnUnderWay;

  `CF_ASSERT_SETUP
  `CF_ASSERT(A8_one_of_the_states,
             state_q == cf_lane_pkg::TurnIdle || state_q == cf_lane_pkg::TurnSync || under_way_o)

endmodule
