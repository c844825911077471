// SPDX-License-Identifier: Apache-2.0
// The register block: the map of registers.yaml on APB, the settings, the events, and the interrupt. Timing: APB
// without wait states; a write shows in the next cycle. cf_lane_settings defines when settings take effect.
`include "cf_assert.svh"

module cf_lane_registers #(
  parameter int unsigned LanesPerDirection = 8,
  parameter int unsigned TimeWidth = 20,     // bits of the sample and switch times
  parameter int unsigned PathWidth = 12,     // bits of the drain time and the sync latency
  parameter int unsigned CountWidth = 24,    // bits of a window's totals
  parameter int unsigned SampleTime = cf_lane_reversal_reg_pkg::SampleTimeCyclesReset,  // after reset, as all that follow
  parameter int unsigned SwitchTime = cf_lane_reversal_reg_pkg::SwitchTimeCyclesReset,
  parameter int unsigned Drain = cf_lane_reversal_reg_pkg::DrainCyclesReset,
  parameter int unsigned SyncLatency = cf_lane_reversal_reg_pkg::SyncLatencyCyclesReset,
  parameter int unsigned Threshold = cf_lane_reversal_reg_pkg::ThresholdPercentReset,
  parameter int unsigned MinLanes = cf_lane_reversal_reg_pkg::MinLanesLanesReset,
  parameter int unsigned Latency = cf_lane_pkg::DecisionCycles,  // the least sample time and sync latency
  localparam int unsigned Lanes = 2 * LanesPerDirection,
  localparam int unsigned LaneWidth = $clog2(Lanes + 1)
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
  // the state of the lanes, in this cycle
  input  logic                   running_i,
  input  cf_lane_pkg::decision_e pending_i,
  input  logic                   under_way_i,
  input  logic [5:0]             lanes_ab_i,
  input  logic [5:0]             lanes_ba_i,
  input  logic [5:0]             turning_i,
  input  logic [5:0]             failed_i,
  input  logic [Lanes-1:0]       serving_ab_i,
  input  logic [Lanes-1:0]       serving_ba_i,
  input  logic [Lanes-1:0]       failed_lanes_i,
  // events of the next cycle
  input  logic                   turn_i,
  input  logic [Lanes-1:0]       fault_i,
  input  logic                   totals_i,   // a window has ended, with the totals that follow
  input  logic [CountWidth-1:0]  busy_ab_i,
  input  logic [CountWidth-1:0]  busy_ba_i,
  input  logic [CountWidth-1:0]  capacity_ab_i,
  input  logic [CountWidth-1:0]  capacity_ba_i,
  // the last window's totals
  output logic [CountWidth-1:0]  last_busy_ab_o,
  output logic [CountWidth-1:0]  last_busy_ba_o,
  output logic [CountWidth-1:0]  last_capacity_ab_o,
  output logic [CountWidth-1:0]  last_capacity_ba_o,
  // settings
  input  logic                   apply_i,
  input  logic                   apply_times_i,
  output logic                   settled_o,  // no written setting waits
  output logic                   enable_o,
  output logic                   guarded_o,
  output logic [TimeWidth-1:0]   sample_time_o,
  output logic [PathWidth-1:0]   sync_latency_o,
  output logic [6:0]             threshold_o,
  output logic [LaneWidth-1:0]   min_lanes_o,
  output logic [TimeWidth-1:0]   switch_time_d_o,
  output logic [PathWidth-1:0]   drain_d_o
);

  localparam int unsigned Registers  = cf_lane_reversal_reg_pkg::Registers;
  localparam int unsigned EventWidth = cf_lane_reversal_reg_pkg::EventWidth;

  logic [32*Registers-1:0] read;
  logic [Registers-1:0]    ok, write;
  logic [31:0]             scratch_q;

  cf_lane_reversal_reg_pkg::id_t     id;
  cf_lane_reversal_reg_pkg::status_t status;

  logic                 ok_ctrl, ok_sample_time, ok_switch_time, ok_drain, ok_sync_latency, ok_threshold, ok_min_lanes;
  logic [1:0]           written_ctrl, irq_status, irq_enable;
  logic [TimeWidth-1:0] written_sample_time, written_switch_time;
  logic [PathWidth-1:0] written_drain, written_sync_latency;
  logic [6:0]           written_threshold;
  logic [LaneWidth-1:0] written_min_lanes;

  logic [EventWidth-1:0] turns, windows, faults;

  cf_apb_registers #(.Registers(Registers)) u_apb (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .prdata_o, .pready_o, .pslverr_o,
    .read_i(read), .ok_i(ok), .write_o(write)
  );

  always_comb begin
    id.block           = 16'(cf_lane_reversal_reg_pkg::IdBlockReset);
    id.version         = 8'(cf_lane_reversal_reg_pkg::IdVersionReset);
    id.lanes           = 8'(LanesPerDirection);
    status.zero31      = '0;
    status.under_way   = under_way_i;
    status.guarding    = guarded_o;
    status.enabled     = enable_o;
    status.settled     = settled_o;
    status.running     = running_i;
    status.pending     = pending_i;
    status.failed      = failed_i;
    status.turning     = turning_i;
    status.lanes_ba    = lanes_ba_i;
    status.lanes_ab    = lanes_ab_i;
  end

  always_comb begin
    read = '0;
    read[32*cf_lane_reversal_reg_pkg::IdPlace+:32]          = id;
    read[32*cf_lane_reversal_reg_pkg::ScratchPlace+:32]     = scratch_q;
    read[32*cf_lane_reversal_reg_pkg::CtrlPlace+:32]        = 32'(written_ctrl);
    read[32*cf_lane_reversal_reg_pkg::SampleTimePlace+:32]  = 32'(written_sample_time);
    read[32*cf_lane_reversal_reg_pkg::SwitchTimePlace+:32]  = 32'(written_switch_time);
    read[32*cf_lane_reversal_reg_pkg::DrainPlace+:32]       = 32'(written_drain);
    read[32*cf_lane_reversal_reg_pkg::SyncLatencyPlace+:32] = 32'(written_sync_latency);
    read[32*cf_lane_reversal_reg_pkg::ThresholdPlace+:32]   = 32'(written_threshold);
    read[32*cf_lane_reversal_reg_pkg::MinLanesPlace+:32]    = 32'(written_min_lanes);
    read[32*cf_lane_reversal_reg_pkg::StatusPlace+:32]      = status;
    read[32*cf_lane_reversal_reg_pkg::ServingAbPlace+:32]   = 32'(serving_ab_i);
    read[32*cf_lane_reversal_reg_pkg::ServingBaPlace+:32]   = 32'(serving_ba_i);
    read[32*cf_lane_reversal_reg_pkg::FailedPlace+:32]      = 32'(failed_lanes_i);
    read[32*cf_lane_reversal_reg_pkg::IrqStatusPlace+:32]   = 32'(irq_status);
    read[32*cf_lane_reversal_reg_pkg::IrqEnablePlace+:32]   = 32'(irq_enable);
    read[32*cf_lane_reversal_reg_pkg::TurnsPlace+:32]       = 32'(turns);
    read[32*cf_lane_reversal_reg_pkg::WindowsPlace+:32]     = 32'(windows);
    read[32*cf_lane_reversal_reg_pkg::FaultsPlace+:32]      = 32'(faults);
    read[32*cf_lane_reversal_reg_pkg::BusyAbPlace+:32]      = 32'(last_busy_ab_o);
    read[32*cf_lane_reversal_reg_pkg::BusyBaPlace+:32]      = 32'(last_busy_ba_o);
    read[32*cf_lane_reversal_reg_pkg::CapacityAbPlace+:32]  = 32'(last_capacity_ab_o);
    read[32*cf_lane_reversal_reg_pkg::CapacityBaPlace+:32]  = 32'(last_capacity_ba_o);
  end

  // Registers not named are read only. Where a 1 or any write clears, no value is out of range.
  always_comb begin
    ok = '0;
    ok[cf_lane_reversal_reg_pkg::ScratchPlace] = 1'b1;
    ok[cf_lane_reversal_reg_pkg::CtrlPlace] = ok_ctrl;
    ok[cf_lane_reversal_reg_pkg::SampleTimePlace] = ok_sample_time;
    ok[cf_lane_reversal_reg_pkg::SwitchTimePlace] = ok_switch_time;
    ok[cf_lane_reversal_reg_pkg::DrainPlace] = ok_drain;
    ok[cf_lane_reversal_reg_pkg::SyncLatencyPlace] = ok_sync_latency;
    ok[cf_lane_reversal_reg_pkg::ThresholdPlace] = ok_threshold;
    ok[cf_lane_reversal_reg_pkg::MinLanesPlace] = ok_min_lanes;
    ok[cf_lane_reversal_reg_pkg::IrqStatusPlace] = 1'b1;
    ok[cf_lane_reversal_reg_pkg::IrqEnablePlace] = ok_ctrl;
    ok[cf_lane_reversal_reg_pkg::TurnsPlace] = 1'b1;
    ok[cf_lane_reversal_reg_pkg::WindowsPlace] = 1'b1;
    ok[cf_lane_reversal_reg_pkg::FaultsPlace] = 1'b1;
  end

  // Read-only registers are never written.
  logic unused_write;
  assign unused_write = ^write;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scratch_q <= 32'(cf_lane_reversal_reg_pkg::ScratchValueReset);
    end else if (write[cf_lane_reversal_reg_pkg::ScratchPlace]) begin
      scratch_q <= pwdata_i;
    end
  end

  cf_lane_settings #(
    .LanesPerDirection(LanesPerDirection), .TimeWidth(TimeWidth), .PathWidth(PathWidth), .SampleTime(SampleTime),
    .SwitchTime(SwitchTime), .Drain(Drain), .SyncLatency(SyncLatency), .Threshold(Threshold), .MinLanes(MinLanes),
    .Latency(Latency)
  ) u_settings (
    .clk_i, .rst_ni,
    .wdata_i(pwdata_i),
    .write_ctrl_i(write[cf_lane_reversal_reg_pkg::CtrlPlace]),
    .write_sample_time_i(write[cf_lane_reversal_reg_pkg::SampleTimePlace]),
    .write_switch_time_i(write[cf_lane_reversal_reg_pkg::SwitchTimePlace]),
    .write_drain_i(write[cf_lane_reversal_reg_pkg::DrainPlace]),
    .write_sync_latency_i(write[cf_lane_reversal_reg_pkg::SyncLatencyPlace]),
    .write_threshold_i(write[cf_lane_reversal_reg_pkg::ThresholdPlace]),
    .write_min_lanes_i(write[cf_lane_reversal_reg_pkg::MinLanesPlace]),
    .ok_ctrl_o(ok_ctrl), .ok_sample_time_o(ok_sample_time), .ok_switch_time_o(ok_switch_time), .ok_drain_o(ok_drain),
    .ok_sync_latency_o(ok_sync_latency), .ok_threshold_o(ok_threshold), .ok_min_lanes_o(ok_min_lanes),
    .written_ctrl_o(written_ctrl), .written_sample_time_o(written_sample_time),
    .written_switch_time_o(written_switch_time), .written_drain_o(written_drain),
    .written_sync_latency_o(written_sync_latency), .written_threshold_o(written_threshold),
    .written_min_lanes_o(written_min_lanes), .settled_o,
    .apply_i, .apply_times_i, .enable_o, .guarded_o, .sample_time_o, .sync_latency_o, .threshold_o, .min_lanes_o, .switch_time_d_o,
    .drain_d_o
  );

  cf_lane_events #(.Lanes(Lanes), .CountWidth(CountWidth), .EventWidth(EventWidth)) u_events (
    .clk_i, .rst_ni,
    .turn_i, .fault_i, .totals_i, .busy_ab_i, .busy_ba_i, .capacity_ab_i, .capacity_ba_i,
    .wdata_i(pwdata_i[1:0]),
    .write_irq_status_i(write[cf_lane_reversal_reg_pkg::IrqStatusPlace]),
    .write_irq_enable_i(write[cf_lane_reversal_reg_pkg::IrqEnablePlace]),
    .clear_turns_i(write[cf_lane_reversal_reg_pkg::TurnsPlace]),
    .clear_windows_i(write[cf_lane_reversal_reg_pkg::WindowsPlace]),
    .clear_faults_i(write[cf_lane_reversal_reg_pkg::FaultsPlace]),
    .irq_status_o(irq_status), .irq_enable_o(irq_enable), .irq_o, .turns_o(turns), .windows_o(windows),
    .faults_o(faults), .busy_ab_o(last_busy_ab_o), .busy_ba_o(last_busy_ba_o), .capacity_ab_o(last_capacity_ab_o),
    .capacity_ba_o(last_capacity_ba_o)
  );

  // A fault that was counted is a lane that has failed.
  `CF_ASSERT_SETUP
  `CF_ASSERT(A11_faults_possible, faults <= EventWidth'(failed_i))

endmodule
