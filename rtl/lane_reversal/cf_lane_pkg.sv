// SPDX-License-Identifier: Apache-2.0
// Names that the modules of the lane-reversal controller share.
package cf_lane_pkg;

  // Cycles from a window's last one until its decision is known: two of the monitors, which have registers at the inputs
  // and behind the counts, and six of the policy. It is the least SYNC_LATENCY and SAMPLE_TIME.
  localparam int unsigned MonitorCycles  = 2;
  localparam int unsigned PolicyCycles   = 6;
  localparam int unsigned DecisionCycles = MonitorCycles + PolicyCycles;

  // Decision at a window's end: a lane of the other direction turns to this one.
  typedef enum logic [1:0] {
    DecisionNone = 2'd0,
    DecisionToAb = 2'd1,
    DecisionToBa = 2'd2
  } decision_e;

  // One physical lane.
  typedef enum logic [1:0] {
    LaneServing    = 2'd0,
    LaneDraining   = 2'd1,
    LaneTurnaround = 2'd2,
    LaneFailed     = 2'd3
  } lane_e;

  // The turn that a window's end decided.
  typedef enum logic [1:0] {
    TurnIdle     = 2'd0,
    TurnSync     = 2'd1,
    TurnUnderWay = 2'd2
  } turn_e;

endpackage
