// SPDX-License-Identifier: Apache-2.0
// The controller of one link's lanes without their monitors: its inputs are the end of a window, and how busy both
// directions were in it. It contains the lanes, their turns, both ends' agents, the settings and the events.
//
// Timing. Cycles, launch_i, lane_fault_i and the outputs are as in cf_lane_reversal.sv. window_end_i is high in a
// window's last cycle. totals_i is high when the totals are those of that window, in that cycle or up to MonitorCycles
// later; they are read in that cycle only. A window has Latency cycles at least. Phits pass through: *_issue_o is *_valid_i
// where the end serves, in the same cycle, and no register here depends on them.
// idle_o (combinational): the edge that ends this cycle changes no register here. It stays high until an input requires
// action: a launch, a window's end, a new fault, a bus access. So the clock may be gated by it, and a simulation may
// skip the edges. scripts/prove proves it for every register (proofs `idle`, `idle_policy`).
module cf_lane_core #(
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
  // the monitors
  input  logic                   window_end_i,  // the window's last cycle
  input  logic [TimeWidth-1:0]   cycle_i,       // cycles of the window so far; for assertions only
  input  logic                   totals_i,      // all that follow are those of the window that ended last
  input  logic [CountWidth-1:0]  busy_ab_i,
  input  logic [CountWidth-1:0]  busy_ba_i,
  input  logic [CountWidth-1:0]  capacity_ab_i,
  input  logic [CountWidth-1:0]  capacity_ba_i,
  output logic [TimeWidth-1:0]   sample_time_o, // a window's length
  // end A
  input  logic [Lanes-1:0]       a_valid_i,     // a phit is put on the lane; ignored unless a_serve_o
  output logic [Lanes-1:0]       a_issue_o,     // it is put there
  output logic [Lanes-1:0]       a_serve_o,     // the lane serves A->B
  output logic [Lanes-1:0]       a_drive_o,     // the end's driver is on
  // end B
  input  logic [Lanes-1:0]       b_valid_i,
  output logic [Lanes-1:0]       b_issue_o,
  output logic [Lanes-1:0]       b_serve_o,
  output logic [Lanes-1:0]       b_drive_o,
  // observed state
  output logic                   running_o,     // there was a launch
  output logic                   idle_o,        // no register changes with the next edge
  output logic [5:0]             lanes_ab_o,    // lanes that serve
  output logic [5:0]             lanes_ba_o,
  output logic [5:0]             turning_o,     // lanes that have left and not joined
  output logic [5:0]             failed_o,      // lanes that failed, and absent ones
  output cf_lane_pkg::decision_e decision_o,    // decision of the window that ended Latency cycles ago
  output cf_lane_pkg::decision_e pending_o,     // on its way
  output logic                   under_way_o    // a lane turns because of a decision, or joined in the cycle before
);

  localparam int unsigned LaneWidth = $clog2(Lanes + 1);
  localparam bit [Lanes-1:0] StartsAb = (Lanes'(1) << LanesPerDirection) - Lanes'(1);
  // One of the outer lanes never leaves A->B and one never leaves B->A: A4_outer_lane_stays.
  localparam bit [Lanes-1:0] Inner = {1'b0, {(Lanes - 2) {1'b1}}, 1'b0};
  localparam bit [Lanes-1:0] Upper = Lanes'(1) << (Lanes - 1);

  // settings
  logic                 enable, guarded, apply, apply_times, settled;
  logic [TimeWidth-1:0] switch_time_d;
  logic [PathWidth-1:0] sync_latency, sync_left, drain_d;
  logic [6:0]           threshold;
  logic [LaneWidth-1:0] min_lanes;

  // lanes
  logic [Lanes-1:0]     serving, turning, draining, failed, to_ba, leave, back, fail, fault;
  logic [Lanes-1:0]     kept_serve_ab, kept_serve_ba, kept_drain, begun_serve_ab, begun_serve_ba, begun_drain, begun;
  logic [LaneWidth-1:0] lanes_ab, lanes_ba, turning_count, failed_count, have_ab;
  logic                 running_q, spare_ab, spare_ba, repair;

  logic [TimeWidth*Lanes-1:0] left;  // by lane, of its turn

  // Half of the lanes that work.
  logic [LaneWidth-1:0] working, half_q;
  logic                 odd_q;

  // the turn
  cf_lane_pkg::decision_e wish;
  logic                   due_ab, due_ba, go, any_turning, calm, deciding, ask, decided;
  logic [CountWidth-1:0]  last_busy_ab, last_busy_ba, last_capacity_ab, last_capacity_ba;  // of the last window

  assign any_turning = turning != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
    end else begin
      running_q <= running_q || launch_i;
    end
  end

  assign running_o = running_q;

  cf_lane_policy #(.CountWidth(CountWidth), .LaneWidth(LaneWidth)) u_policy (
    .clk_i, .rst_ni, .window_end_i, .enable_i(enable), .guarded_i(guarded), .threshold_i(threshold),
    .spare_ab_i(spare_ab), .spare_ba_i(spare_ba), .lanes_ab_i(lanes_ab), .lanes_ba_i(lanes_ba), .totals_i(ask),
    .busy_ab_i(last_busy_ab), .busy_ba_i(last_busy_ba), .capacity_ab_i(last_capacity_ab),
    .capacity_ba_i(last_capacity_ba), .wish_o(wish)
  );

  cf_lane_decision #(.SyncWidth(PathWidth), .Latency(Latency)) u_decision (
    .clk_i, .rst_ni, .launch_i, .repair_i(repair), .window_end_i, .settled_i(settled), .wish_i(wish),
    .turning_i(any_turning), .spare_ab_i(spare_ab), .spare_ba_i(spare_ba), .sync_latency_i(sync_latency),
    .deciding_o(deciding), .ask_o(ask), .decision_o, .decided_o(decided), .pending_o, .under_way_o, .left_o(sync_left),
    .due_ab_o(due_ab), .due_ba_o(due_ba), .go_o(go)
  );

  cf_lane_map #(.Lanes(Lanes)) u_map (
    .serving_ab_i(a_serve_o), .serving_ba_i(b_serve_o), .turning_i(turning & Inner), .failed_i(failed), .to_ba_i((to_ba & Inner) | Upper),
    .lanes_ab_o(lanes_ab), .lanes_ba_o(lanes_ba), .turning_o(turning_count), .failed_o(failed_count),
    .have_ab_o(have_ab), .running_i(running_q), .half_i(half_q), .odd_i(odd_q), .min_lanes_i(min_lanes), .spare_ab_o(spare_ab), .spare_ba_o(spare_ba),
    .repair_o(repair), .launch_i, .under_way_i(under_way_o), .due_ab_i(due_ab), .due_ba_i(due_ba), .leave_o(leave),
    .back_o(back)
  );

  // Before the first launch no lane counts as failed; lanes missing at the launch are absent.
  always_comb begin
    fail  = '0;
    fault = '0;
    if (running_q) begin
      fail  = lane_fault_i & ~failed;
      fault = fail;
    end else if (launch_i) begin
      fail = lane_fault_i;
    end
  end

  cf_count_ones #(.Width(Lanes)) u_working (.bits_i(~(failed | fail)), .count_o(working));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      half_q <= LaneWidth'(LanesPerDirection);
      odd_q  <= 1'b0;
    end else begin
      half_q <= working >> 1;
      odd_q  <= working[0];
    end
  end

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    cf_lane_turn #(.TimeWidth(TimeWidth), .DrainWidth(PathWidth), .StartsToBa(!StartsAb[i])) u_turn (
      .clk_i, .rst_ni, .leave_i(leave[i]), .back_i(back[i]), .fail_i(fail[i]), .drain_time_i(drain_d),
      .switch_time_i(switch_time_d), .serving_o(serving[i]), .turning_o(turning[i]), .draining_o(draining[i]),
      .failed_o(failed[i]), .to_ba_o(to_ba[i]), .left_o(left[TimeWidth*i+:TimeWidth]),
      .kept_serve_ab_o(kept_serve_ab[i]), .kept_serve_ba_o(kept_serve_ba[i]), .kept_drain_o(kept_drain[i]),
      .begun_serve_ab_o(begun_serve_ab[i]), .begun_serve_ba_o(begun_serve_ba[i]), .begun_drain_o(begun_drain[i])
    );

`ifndef SYNTHESIS
    cf_lane_checker #(
      .TimeWidth(TimeWidth), .PathWidth(PathWidth), .StartsToBa(!StartsAb[i]), .Outer(i == 0 || i == Lanes - 1)
    ) u_checker (
      .clk_i, .rst_ni, .drain_time_i(drain_d), .switch_time_i(switch_time_d), .serving_i(serving[i]),
      .turning_i(turning[i]), .draining_i(draining[i]), .failed_i(failed[i]), .to_ba_i(to_ba[i]),
      .left_i(left[TimeWidth*i+:TimeWidth]), .leave_i(leave[i]), .back_i(back[i]), .under_way_i(under_way_o),
      .a_serve_i(a_serve_o[i]), .b_serve_i(b_serve_o[i]), .a_drive_i(a_drive_o[i]), .b_drive_i(b_drive_o[i]),
      .a_issue_i(a_issue_o[i]), .b_issue_i(b_issue_o[i])
    );
`endif
  end

  assign begun = leave | back;

  cf_lane_agent #(.Lanes(Lanes), .StartsServing(StartsAb)) u_agent_a (
    .clk_i, .rst_ni, .begin_i(begun), .kept_serve_i(kept_serve_ab), .kept_drain_i(kept_drain),
    .begun_serve_i(begun_serve_ab), .begun_drain_i(begun_drain), .valid_i(a_valid_i), .serve_o(a_serve_o),
    .drive_o(a_drive_o), .issue_o(a_issue_o)
  );
  cf_lane_agent #(.Lanes(Lanes), .StartsServing(~StartsAb)) u_agent_b (
    .clk_i, .rst_ni, .begin_i(begun), .kept_serve_i(kept_serve_ba), .kept_drain_i(kept_drain),
    .begun_serve_i(begun_serve_ba), .begun_drain_i(begun_drain), .valid_i(b_valid_i), .serve_o(b_serve_o),
    .drive_o(b_drive_o), .issue_o(b_issue_o)
  );

  // Settings change only while no lane turns. A launch drops a decision on its way. A setting that waits holds off
  // decisions, so it waits for one window's end at most from when no lane turns. One that is written in a window's last
  // cycle does not wait yet, and that window may decide.
  assign calm = !any_turning && !repair && pending_o == cf_lane_pkg::DecisionNone;

  assign apply_times = !running_q || (launch_i && !any_turning);

  always_comb begin
    apply = apply_times;
    if (window_end_i && calm && !decided) begin
      apply = 1'b1;
    end
  end

  cf_lane_registers #(
    .LanesPerDirection(LanesPerDirection), .TimeWidth(TimeWidth), .PathWidth(PathWidth), .CountWidth(CountWidth),
    .SampleTime(SampleTime), .SwitchTime(SwitchTime), .Drain(Drain), .SyncLatency(SyncLatency), .Threshold(Threshold),
    .MinLanes(MinLanes), .Latency(Latency)
  ) u_registers (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .prdata_o, .pready_o, .pslverr_o, .irq_o,
    .running_i(running_q), .pending_i(pending_o), .under_way_i(under_way_o), .lanes_ab_i(lanes_ab_o),
    .lanes_ba_i(lanes_ba_o), .turning_i(turning_o), .failed_i(failed_o), .serving_ab_i(a_serve_o),
    .serving_ba_i(b_serve_o), .failed_lanes_i(failed), .turn_i(go), .fault_i(fault),
    .totals_i, .busy_ab_i, .busy_ba_i, .capacity_ab_i, .capacity_ba_i, .last_busy_ab_o(last_busy_ab),
    .last_busy_ba_o(last_busy_ba), .last_capacity_ab_o(last_capacity_ab), .last_capacity_ba_o(last_capacity_ba),
    .apply_i(apply), .apply_times_i(apply_times), .settled_o(settled), .enable_o(enable), .guarded_o(guarded),
    .sample_time_o, .sync_latency_o(sync_latency), .threshold_o(threshold), .min_lanes_o(min_lanes), .switch_time_d_o(switch_time_d),
    .drain_d_o(drain_d)
  );

`ifndef SYNTHESIS
  cf_lane_checks #(
    .LanesPerDirection(LanesPerDirection), .TimeWidth(TimeWidth), .PathWidth(PathWidth), .Latency(Latency)
  ) u_checks (
    .clk_i, .rst_ni, .launch_i, .enable_i(enable), .guarded_i(guarded), .sample_time_i(sample_time_o),
    .sync_latency_i(sync_latency), .sync_left_i(sync_left), .threshold_i(threshold), .min_lanes_i(min_lanes),
    .wish_i(wish), .a_valid_i, .a_serve_i(a_serve_o),
    .b_valid_i, .b_serve_i(b_serve_o), .running_i(running_q), .lanes_ab_i(lanes_ab), .lanes_ba_i(lanes_ba),
    .turning_i(turning_count), .failed_i(failed_count), .have_ab_i(have_ab), .lane_turns_i(turning),
    .lane_failed_i(failed), .lane_to_ba_i(to_ba), .half_i(half_q), .odd_i(odd_q),
    .leave_i(leave), .back_i(back),
    .fail_i(fail), .window_end_i, .deciding_i(deciding), .decision_i(decision_o),
    .decided_i(decided), .pending_i(pending_o), .under_way_i(under_way_o),
    .repair_i(repair), .apply_i(apply), .apply_times_i(apply_times),
    .settled_i(settled), .go_ab_i(go && due_ab), .go_ba_i(go && due_ba), .totals_i, .cycle_i
  );
`endif

  assign idle_o = running_q && !launch_i && !window_end_i && !psel_i && fail == '0 && !any_turning && !repair &&
                  !under_way_o && !deciding && pending_o == cf_lane_pkg::DecisionNone;

  assign lanes_ab_o = 6'(lanes_ab);
  assign lanes_ba_o = 6'(lanes_ba);
  assign turning_o  = 6'(turning_count);
  assign failed_o   = 6'(failed_count);

endmodule
