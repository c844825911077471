// SPDX-License-Identifier: Apache-2.0
// The settings: written values, and those in effect. A written value takes effect with the first cycle of a window or a
// launch before which no lane turned and no decision was on its way; before the first launch, at once. While one waits
// (settled_o is low) nothing is decided, so that traffic cannot keep it waiting.
// Timing: write_*_i stores wdata_i with the next cycle; only where ok_*_o (combinational) says that it is in range. *_o
// are in effect in this cycle (registers); drain_d_o and switch_time_d_o in the next (combinational), for lanes that
// leave with it.
`include "cf_assert.svh"

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
  parameter int unsigned Latency = cf_lane_pkg::DecisionCycles,  // the least sample time and sync latency
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
  // the written values
  output logic [1:0]           written_ctrl_o,  // guarded, enable
  output logic [TimeWidth-1:0] written_sample_time_o,
  output logic [TimeWidth-1:0] written_switch_time_o,
  output logic [PathWidth-1:0] written_drain_o,
  output logic [PathWidth-1:0] written_sync_latency_o,
  output logic [6:0]           written_threshold_o,
  output logic [LaneWidth-1:0] written_min_lanes_o,
  output logic                 settled_o,  // all written values are in effect
  // the values in effect
  input  logic                 apply_i,    // written values take effect with the next cycle
  input  logic                 apply_times_i,  // and hold for lanes that leave with it: known early in the cycle
  output logic                 enable_o,
  output logic                 guarded_o,
  output logic [TimeWidth-1:0] sample_time_o,
  output logic [PathWidth-1:0] sync_latency_o,
  output logic [6:0]           threshold_o,
  output logic [LaneWidth-1:0] min_lanes_o,
  output logic [TimeWidth-1:0] switch_time_d_o,
  output logic [PathWidth-1:0] drain_d_o
);

  localparam logic [1:0] CtrlReset = {1'(cf_lane_reversal_reg_pkg::CtrlGuardedReset),
                                      1'(cf_lane_reversal_reg_pkg::CtrlEnableReset)};

  logic                 unsettled_d, unsettled_q;
  logic [1:0]           ctrl_q, written_ctrl_q;
  logic [TimeWidth-1:0] sample_time_q, written_sample_time_q;
  logic [TimeWidth-1:0] switch_time_q, written_switch_time_q;
  logic [PathWidth-1:0] drain_q, written_drain_q;
  logic [PathWidth-1:0] sync_latency_q, written_sync_latency_q;
  logic [6:0]           threshold_q, written_threshold_q;
  logic [LaneWidth-1:0] min_lanes_q, written_min_lanes_q;

  assign ok_ctrl_o         = wdata_i[31:2] == '0;
  assign ok_sample_time_o  = wdata_i[31:TimeWidth] == '0 && wdata_i >= 32'(Latency);
  assign ok_switch_time_o  = wdata_i[31:TimeWidth] == '0;
  assign ok_drain_o        = wdata_i[31:PathWidth] == '0;
  assign ok_sync_latency_o = wdata_i[31:PathWidth] == '0 && wdata_i >= 32'(Latency);
  assign ok_threshold_o    = wdata_i <= 32'd100;
  assign ok_min_lanes_o    = wdata_i <= 32'(LanesPerDirection) && wdata_i != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_ctrl_q         <= CtrlReset;
      written_sample_time_q  <= TimeWidth'(SampleTime);
      written_switch_time_q  <= TimeWidth'(SwitchTime);
      written_drain_q        <= PathWidth'(Drain);
      written_sync_latency_q <= PathWidth'(SyncLatency);
      written_threshold_q    <= 7'(Threshold);
      written_min_lanes_q    <= LaneWidth'(MinLanes);
    end else begin
      if (write_ctrl_i) begin
        written_ctrl_q <= wdata_i[1:0];
      end
      if (write_sample_time_i) begin
        written_sample_time_q <= wdata_i[TimeWidth-1:0];
      end
      if (write_switch_time_i) begin
        written_switch_time_q <= wdata_i[TimeWidth-1:0];
      end
      if (write_drain_i) begin
        written_drain_q <= wdata_i[PathWidth-1:0];
      end
      if (write_sync_latency_i) begin
        written_sync_latency_q <= wdata_i[PathWidth-1:0];
      end
      if (write_threshold_i) begin
        written_threshold_q <= wdata_i[6:0];
      end
      if (write_min_lanes_i) begin
        written_min_lanes_q <= wdata_i[LaneWidth-1:0];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ctrl_q         <= CtrlReset;
      sample_time_q  <= TimeWidth'(SampleTime);
      switch_time_q  <= TimeWidth'(SwitchTime);
      drain_q        <= PathWidth'(Drain);
      sync_latency_q <= PathWidth'(SyncLatency);
      threshold_q    <= 7'(Threshold);
      min_lanes_q    <= LaneWidth'(MinLanes);
    end else if (apply_i) begin
      ctrl_q         <= written_ctrl_q;
      sample_time_q  <= written_sample_time_q;
      switch_time_q  <= written_switch_time_q;
      drain_q        <= written_drain_q;
      sync_latency_q <= written_sync_latency_q;
      threshold_q    <= written_threshold_q;
      min_lanes_q    <= written_min_lanes_q;
    end
  end

  always_comb begin
    switch_time_d_o = switch_time_q;
    drain_d_o       = drain_q;
    if (apply_times_i) begin
      switch_time_d_o = written_switch_time_q;
      drain_d_o       = written_drain_q;
    end
  end

  // A write in a cycle that applies earlier writes waits for the next chance.
  always_comb begin
    unsettled_d = unsettled_q && !apply_i;
    if (write_ctrl_i || write_sample_time_i || write_switch_time_i || write_drain_i || write_sync_latency_i ||
        write_threshold_i || write_min_lanes_i) begin
      unsettled_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      unsettled_q <= 1'b0;
    end else begin
      unsettled_q <= unsettled_d;
    end
  end

  assign settled_o              = !unsettled_q;
  assign written_ctrl_o         = written_ctrl_q;
  assign written_sample_time_o  = written_sample_time_q;
  assign written_switch_time_o  = written_switch_time_q;
  assign written_drain_o        = written_drain_q;
  assign written_sync_latency_o = written_sync_latency_q;
  assign written_threshold_o    = written_threshold_q;
  assign written_min_lanes_o    = written_min_lanes_q;
  assign enable_o               = ctrl_q[0];
  assign guarded_o              = ctrl_q[1];
  assign sample_time_o          = sample_time_q;
  assign sync_latency_o         = sync_latency_q;
  assign threshold_o            = threshold_q;
  assign min_lanes_o            = min_lanes_q;

  `CF_ASSERT_SETUP
  `CF_ASSERT(A19_in_range,
             sample_time_q >= TimeWidth'(Latency) && sync_latency_q >= PathWidth'(Latency) &&
             threshold_q <= 7'd100 && min_lanes_q != '0 &&
             min_lanes_q <= LaneWidth'(LanesPerDirection))
  `CF_ASSERT(A19_written_in_range,
             written_sample_time_q >= TimeWidth'(Latency) && written_sync_latency_q >= PathWidth'(Latency) &&
             written_threshold_q <= 7'd100 && written_min_lanes_q != '0 &&
             written_min_lanes_q <= LaneWidth'(LanesPerDirection))
  `CF_WHERE(A19_settled_means_applied, !unsettled_q,
            ctrl_q == written_ctrl_q && sample_time_q == written_sample_time_q && drain_q == written_drain_q &&
            switch_time_q == written_switch_time_q && sync_latency_q == written_sync_latency_q &&
            threshold_q == written_threshold_q && min_lanes_q == written_min_lanes_q)
  `CF_COVER(A19_write_waits, unsettled_q && !apply_i)
  `CF_COVER(A19_write_applied, unsettled_q && apply_i)

endmodule
