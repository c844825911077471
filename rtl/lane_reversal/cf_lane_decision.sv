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
// Timing: decision_o is valid in a window's last cycle (combinational from wish_i); nothing is decided while a written
// setting waits. go_*_o is combinational in the
// cycle before the lane leaves: the window's last if sync_latency_i is 0, else sync_latency_i cycles later. If a lane
// has failed since then, and there is no spare lane, no lane leaves.
`include "cf_assert.svh"

module cf_lane_decision #(
  parameter int unsigned SyncWidth = 12  // bits of sync_latency_i
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     launch_i,
  input  logic                     repair_i,      // a lane leaves with the next cycle for a repair
  input  logic                     window_end_i,
  input  logic                     settled_i,     // no written setting waits
  input  cf_lane_pkg::decision_e   wish_i,
  input  logic                     turning_i,     // any lane
  input  logic                     spare_ab_i,    // has more lanes than the minimum
  input  logic                     spare_ba_i,
  input  logic [SyncWidth-1:0]     sync_latency_i,
  output cf_lane_pkg::decision_e   decision_o,
  output cf_lane_pkg::decision_e   pending_o,     // register: the decision on its way
  output logic                     under_way_o,   // register: a turning lane belongs to the decision
  output logic [SyncWidth-1:0]     left_o,        // register: cycles left of the sync latency, with this one
  output logic                     go_ab_o,       // a lane of B->A leaves, to serve A->B
  output logic                     go_ba_o
);

  cf_lane_pkg::turn_e   state_d, state_q;
  logic                 to_ba_d, to_ba_q;
  logic [SyncWidth-1:0] wait_d, wait_q;  // cycles left of the sync latency, with this one
  logic                 decided, dropped, due, synced_ab, synced_ba;

  always_comb begin
    decision_o = cf_lane_pkg::DecisionNone;
    if (window_end_i && settled_i && !turning_i && !repair_i && state_q != cf_lane_pkg::TurnSync) begin
      decision_o = wish_i;
    end
  end

  assign decided   = decision_o != cf_lane_pkg::DecisionNone;
  assign dropped   = launch_i || repair_i;
  assign due       = state_q == cf_lane_pkg::TurnSync && wait_q == SyncWidth'(1);
  assign synced_ab = due && !to_ba_q && spare_ba_i;
  assign synced_ba = due && to_ba_q && spare_ab_i;

  always_comb begin
    go_ab_o = 1'b0;
    go_ba_o = 1'b0;
    if (!dropped) begin
      go_ab_o = synced_ab || (decision_o == cf_lane_pkg::DecisionToAb && sync_latency_i == '0);
      go_ba_o = synced_ba || (decision_o == cf_lane_pkg::DecisionToBa && sync_latency_i == '0);
    end
  end

  always_comb begin
    state_d = state_q;
    to_ba_d = to_ba_q;
    wait_d  = '0;
    if (decided) begin
      to_ba_d = decision_o == cf_lane_pkg::DecisionToBa;
    end
    if (go_ab_o || go_ba_o) begin
      state_d = cf_lane_pkg::TurnUnderWay;
    end else if (dropped || due) begin
      state_d = cf_lane_pkg::TurnIdle;
    end else if (decided) begin
      state_d = cf_lane_pkg::TurnSync;
      wait_d  = sync_latency_i;
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
