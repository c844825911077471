// SPDX-License-Identifier: Apache-2.0
// The lane-reversal controller of one link: at each window's end it may turn one lane from a direction that does not
// need it to one that is saturated, within the limits that registers set; a kernel launch brings the lanes back to
// symmetric; failed lanes are mapped out. It contains both ends' control of the lanes.
//
// Timing. Cycle t is the clock cycle in which a_serve_o and its like show the lanes of t. The first launch after reset
// begins cycle 0; before it the lanes are symmetric, nothing is counted, none turns and none fails.
//   launch_i, lane_fault_i  sampled at the edge that begins cycle t
//   a_valid_i, b_valid_i    in cycle t, sampled at the edge that ends it
//   registers               *_serve_o, *_drive_o, running_o, pending_o, under_way_o, totals_o
//   combinational           of registers: the counts, irq_o, window_end_o, busy_*_o, capacity_*_o, decision_o; of the
//                           bus: prdata_o, pslverr_o; of launch, fault and bus: idle_o
// Latency. A window that ends with cycle t has its totals at the outputs in t + MonitorCycles and its decision in
// t + DecisionCycles. The decision's lane stops serving in t + 1 + SYNC_LATENCY, its sender's driver is off DRAIN later,
// and SWITCH_TIME after that it serves the other direction. A launch, or a failed lane, shows in cycle t.
//
// Lanes 0 to LanesPerDirection - 1 serve A->B after reset, the others B->A; cf_lane_map says which one leaves.
module cf_lane_reversal #(
  parameter int unsigned LanesPerDirection = 8,  // lanes of each direction while symmetric, 1 to 16
  parameter int unsigned TimeWidth = cf_lane_reversal_reg_pkg::TimeWidth,                // bits of SAMPLE_, SWITCH_TIME
  parameter int unsigned PathWidth = cf_lane_reversal_reg_pkg::PathWidth,                // bits of DRAIN, SYNC_LATENCY
  parameter int unsigned SampleTime = cf_lane_reversal_reg_pkg::SampleTimeCyclesReset,   // register after reset; so are
  parameter int unsigned SwitchTime = cf_lane_reversal_reg_pkg::SwitchTimeCyclesReset,   // all that follow
  parameter int unsigned Drain = cf_lane_reversal_reg_pkg::DrainCyclesReset,
  parameter int unsigned SyncLatency = cf_lane_reversal_reg_pkg::SyncLatencyCyclesReset,
  parameter int unsigned Threshold = cf_lane_reversal_reg_pkg::ThresholdPercentReset,
  parameter int unsigned MinLanes = cf_lane_reversal_reg_pkg::MinLanesLanesReset,
  parameter int unsigned Latency = cf_lane_pkg::DecisionCycles,  // of a decision; fewer only in proofs, with another policy
  localparam int unsigned Lanes = 2 * LanesPerDirection,
  localparam int unsigned CountWidth = TimeWidth + $clog2(Lanes)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // APB
  input  logic                   psel_i,
  input  logic                   penable_i,
  input  logic                   pwrite_i,
  input  logic [7:0]             paddr_i,
  input  logic [31:0]            pwdata_i,
  output logic [31:0]            prdata_o,
  output logic                   pready_o,
  output logic                   pslverr_o,
  output logic                   irq_o,
  // events
  input  logic                   launch_i,      // a kernel is launched
  input  logic [Lanes-1:0]       lane_fault_i,  // the lane has failed, for good; high at the first launch: absent
  // end A
  input  logic [Lanes-1:0]       a_valid_i,     // a phit is put on the lane; ignored unless a_serve_o
  output logic [Lanes-1:0]       a_serve_o,     // the lane serves A->B
  output logic [Lanes-1:0]       a_drive_o,     // the end's driver is on
  // end B
  input  logic [Lanes-1:0]       b_valid_i,
  output logic [Lanes-1:0]       b_serve_o,
  output logic [Lanes-1:0]       b_drive_o,
  // observed state
  output logic                   running_o,     // there was a launch
  output logic                   idle_o,        // no register but the monitors' changes with the next edge
  output logic [5:0]             lanes_ab_o,    // lanes that serve
  output logic [5:0]             lanes_ba_o,
  output logic [5:0]             turning_o,     // lanes that have left and not joined
  output logic [5:0]             failed_o,      // lanes that failed, and absent ones
  output logic                   window_end_o,  // the window's last cycle
  output cf_lane_pkg::decision_e decision_o,    // decision of the window that ended DecisionCycles ago
  output cf_lane_pkg::decision_e pending_o,     // on its way
  output logic                   under_way_o,   // a lane turns because of a decision, or joined in the cycle before
  output logic                   totals_o,      // the window that ended MonitorCycles ago has the totals that follow
  output logic [CountWidth-1:0]  busy_ab_o,     // sum over the window so far, up to the cycle MonitorCycles ago
  output logic [CountWidth-1:0]  busy_ba_o,
  output logic [CountWidth-1:0]  capacity_ab_o,
  output logic [CountWidth-1:0]  capacity_ba_o
);

  localparam int unsigned LaneWidth = $clog2(Lanes + 1);

  if (LanesPerDirection < 1 || LanesPerDirection > 16) begin : gen_check_lanes
    $fatal(1, "%m: LanesPerDirection is %0d, not 1 to 16", LanesPerDirection);
  end
  if (PathWidth < $clog2(Latency + 1) || TimeWidth < PathWidth || TimeWidth > 26) begin : gen_check_widths
    $fatal(1, "%m: PathWidth is %0d, TimeWidth %0d: not %0d to 26, or the first is greater", PathWidth, TimeWidth,
           $clog2(Latency + 1));
  end
  if (SampleTime < Latency || SampleTime >= 2 ** TimeWidth || SwitchTime >= 2 ** TimeWidth) begin : gen_check_times
    $fatal(1, "%m: SampleTime is %0d, SwitchTime %0d: not in %0d bits, or the first is below %0d", SampleTime, SwitchTime,
           TimeWidth, Latency);
  end
  if (Drain >= 2 ** PathWidth || SyncLatency < Latency || SyncLatency >= 2 ** PathWidth) begin : gen_check_path
    $fatal(1, "%m: Drain is %0d, SyncLatency %0d: not in %0d bits, or the second is below %0d", Drain, SyncLatency,
           PathWidth, Latency);
  end
  if (Threshold > 100) begin : gen_check_threshold
    $fatal(1, "%m: Threshold is %0d per cent", Threshold);
  end
`ifndef FORMAL
  if (Latency != cf_lane_pkg::DecisionCycles) begin : gen_check_latency
    $fatal(1, "%m: Latency is %0d, and the policy takes %0d cycles", Latency, cf_lane_pkg::DecisionCycles);
  end
`endif
  if (MinLanes < 1 || MinLanes > LanesPerDirection) begin : gen_check_min_lanes
    $fatal(1, "%m: MinLanes is %0d, not 1 to %0d", MinLanes, LanesPerDirection);
  end

  logic [TimeWidth-1:0] sample_time, cycle;
  logic [Lanes-1:0]     a_issue, b_issue;

  cf_lane_monitor #(.Lanes(Lanes), .TimeWidth(TimeWidth), .CountWidth(CountWidth)) u_monitor (
    .clk_i, .rst_ni, .launch_i, .running_i(running_o), .sample_time_i(sample_time),
    .lanes_ab_i(LaneWidth'(lanes_ab_o)), .lanes_ba_i(LaneWidth'(lanes_ba_o)), .issue_ab_i(a_issue),
    .issue_ba_i(b_issue), .window_end_o, .cycle_o(cycle), .totals_o, .busy_ab_o, .busy_ba_o, .capacity_ab_o, .capacity_ba_o
  );

  cf_lane_core #(
    .LanesPerDirection(LanesPerDirection), .TimeWidth(TimeWidth), .PathWidth(PathWidth), .SampleTime(SampleTime),
    .SwitchTime(SwitchTime), .Drain(Drain), .SyncLatency(SyncLatency), .Threshold(Threshold), .MinLanes(MinLanes),
    .Latency(Latency)
  ) u_core (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .prdata_o, .pready_o, .pslverr_o, .irq_o,
    .launch_i, .lane_fault_i, .window_end_i(window_end_o), .cycle_i(cycle), .totals_i(totals_o), .busy_ab_i(busy_ab_o),
    .busy_ba_i(busy_ba_o), .capacity_ab_i(capacity_ab_o), .capacity_ba_i(capacity_ba_o), .sample_time_o(sample_time),
    .a_valid_i, .a_issue_o(a_issue), .a_serve_o, .a_drive_o, .b_valid_i, .b_issue_o(b_issue), .b_serve_o, .b_drive_o,
    .running_o, .idle_o, .lanes_ab_o, .lanes_ba_o, .turning_o, .failed_o, .decision_o, .pending_o, .under_way_o
  );

endmodule
