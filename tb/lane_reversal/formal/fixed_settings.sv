// SPDX-License-Identifier: Apache-2.0
// Replaces cf_lane_settings in proofs of reachability: there are no writes, and the parameters are in effect.
module cf_lane_settings #(
  parameter int unsigned LanesPerDirection = 8,
  parameter int unsigned TimeWidth = 20,     // bits of the sample and switch times
  parameter int unsigned PathWidth = 12,     // bits of the drain time and the sync latency
  parameter int unsigned SampleTime = cf_lane_reversal_reg_pkg::SampleTimeCyclesReset,  // after reset, as all that follow
  parameter int unsigned SwitchTime = cf_lane_reversal_reg_pkg::SwitchTimeCyclesReset,
  parameter int unsigned Drain = cf_lane_reversal_reg_pkg::DrainCyclesReset,
  parameter int unsigned SyncLatency = cf_lane_reversal_reg_pkg::SyncLatencyCyclesReset,
  parameter int unsigned Threshold = cf_lane_reversal_reg_pkg::ThresholdPercentReset,
  parameter int unsigned MinLanes = cf_lane_reversal_reg_pkg::MinLanesLanesReset,
  parameter int unsigned Latency = cf_lane_pkg::DecisionCycles,
  localparam int unsigned LaneWidth = $clog2(2 * LanesPerDirection + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // writes
  input  logic [31:0]          wdata_i,
  input  logic                 write_ctrl_i,
  input  logic                 write_sample_time_i,
  input  logic                 write_switch_time_i,
  input  logic                 write_drain_i,
  input  logic                 write_sync_latency_i,
  input  logic                 write_threshold_i,
  input  logic                 write_min_lanes_i,
  output logic                 ok_ctrl_o,
  output logic                 ok_sample_time_o,
  output logic                 ok_switch_time_o,
  output logic                 ok_drain_o,
  output logic                 ok_sync_latency_o,
  output logic                 ok_threshold_o,
  output logic                 ok_min_lanes_o,
  // written values
  output logic [1:0]           written_ctrl_o,  // guarded, enable
  output logic [TimeWidth-1:0] written_sample_time_o,
  output logic [TimeWidth-1:0] written_switch_time_o,
  output logic [PathWidth-1:0] written_drain_o,
  output logic [PathWidth-1:0] written_sync_latency_o,
  output logic [6:0]           written_threshold_o,
  output logic [LaneWidth-1:0] written_min_lanes_o,
  output logic                 settled_o,  // all of it holds
  // effective values
  input  logic                 apply_i,    // written values take effect in the next cycle
  input  logic                 apply_times_i,
  output logic                 enable_o,
  output logic                 guarded_o,
  output logic [TimeWidth-1:0] sample_time_o,
  output logic [PathWidth-1:0] sync_latency_o,
  output logic [6:0]           threshold_o,
  output logic [LaneWidth-1:0] min_lanes_o,
  output logic [TimeWidth-1:0] switch_time_d_o,
  output logic [PathWidth-1:0] drain_d_o
);

  assign ok_ctrl_o              = 1'b0;
  assign ok_sample_time_o       = 1'b0;
  assign ok_switch_time_o       = 1'b0;
  assign ok_drain_o             = 1'b0;
  assign ok_sync_latency_o      = 1'b0;
  assign ok_threshold_o         = 1'b0;
  assign ok_min_lanes_o         = 1'b0;
  assign written_ctrl_o         = 2'b01;
  assign written_sample_time_o  = TimeWidth'(SampleTime);
  assign written_switch_time_o  = TimeWidth'(SwitchTime);
  assign written_drain_o        = PathWidth'(Drain);
  assign written_sync_latency_o = PathWidth'(SyncLatency);
  assign written_threshold_o    = 7'(Threshold);
  assign written_min_lanes_o    = LaneWidth'(MinLanes);
  assign settled_o              = 1'b1;
  assign enable_o               = 1'b1;
  assign guarded_o              = 1'b0;
  assign sample_time_o          = TimeWidth'(SampleTime);
  assign sync_latency_o         = PathWidth'(SyncLatency);
  assign threshold_o            = 7'(Threshold);
  assign min_lanes_o            = LaneWidth'(MinLanes);
  assign switch_time_d_o        = TimeWidth'(SwitchTime);
  assign drain_d_o              = PathWidth'(Drain);

endmodule
