// SPDX-License-Identifier: Apache-2.0
// Events for software: saturating counts, the last window's totals, and the interrupt. Timing: an event shows in
// the next cycle's outputs, which are all registers, except irq_o: an AND-OR of registers. clear_*_i in a cycle
// also clears the events of that cycle. An event has priority over a 1 written to its bit of the interrupt
// status.
`include "cf_assert.svh"

module cf_lane_events #(
  parameter int unsigned Lanes = 16,        // physical lanes of the link
  parameter int unsigned CountWidth = 24,   // bits of a window's totals
  parameter int unsigned EventWidth = 16    // bits of the counts
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // events
  input  logic                  turn_i,        // a lane leaves because of a decision
  input  logic [Lanes-1:0]      fault_i,       // lanes that fail with the next cycle
  input  logic                  totals_i,      // a window has ended, with the totals that follow
  input  logic [CountWidth-1:0] busy_ab_i,
  input  logic [CountWidth-1:0] busy_ba_i,
  input  logic [CountWidth-1:0] capacity_ab_i,
  input  logic [CountWidth-1:0] capacity_ba_i,
  // writes
  input  logic [1:0]            wdata_i,       // fault, turn
  input  logic                  write_irq_status_i,
  input  logic                  write_irq_enable_i,
  input  logic                  clear_turns_i,
  input  logic                  clear_windows_i,
  input  logic                  clear_faults_i,
  // the records of events
  output logic [1:0]            irq_status_o,
  output logic [1:0]            irq_enable_o,
  output logic                  irq_o,
  output logic [EventWidth-1:0] turns_o,
  output logic [EventWidth-1:0] windows_o,
  output logic [EventWidth-1:0] faults_o,
  output logic [CountWidth-1:0] busy_ab_o,     // sum over the last window
  output logic [CountWidth-1:0] busy_ba_o,
  output logic [CountWidth-1:0] capacity_ab_o,
  output logic [CountWidth-1:0] capacity_ba_o
);

  localparam int unsigned LaneWidth = $clog2(Lanes + 1);

  logic [1:0]            irq_status_d, irq_status_q, irq_enable_q;
  logic [CountWidth-1:0] busy_ab_q, busy_ba_q, capacity_ab_q, capacity_ba_q;
  logic [LaneWidth-1:0]  fault_count;
  logic [EventWidth-1:0] turns, one_more_turn, turns_q, windows, windows_q, faults, faults_q;

  always_comb begin
    irq_status_d = irq_status_q;
    if (write_irq_status_i) begin
      irq_status_d = irq_status_q & ~wdata_i;
    end
    irq_status_d = irq_status_d | {fault_i != '0, turn_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_status_q <= '0;
      irq_enable_q <= {1'(cf_lane_reversal_reg_pkg::IrqEnableFaultReset),
                       1'(cf_lane_reversal_reg_pkg::IrqEnableTurnReset)};
    end else begin
      irq_status_q <= irq_status_d;
      if (write_irq_enable_i) begin
        irq_enable_q <= wdata_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_ab_q     <= '0;
      busy_ba_q     <= '0;
      capacity_ab_q <= '0;
      capacity_ba_q <= '0;
    end else if (totals_i) begin
      busy_ab_q     <= busy_ab_i;
      busy_ba_q     <= busy_ba_i;
      capacity_ab_q <= capacity_ab_i;
      capacity_ba_q <= capacity_ba_i;
    end
  end

  cf_count_ones #(.Width(Lanes)) u_faulty (.bits_i(fault_i), .count_o(fault_count));

  // turn_i comes late in the cycle.
  cf_saturating_add #(.Width(EventWidth), .AddWidth(1)) u_turns (
    .value_i(turns_q), .add_i(1'b1), .sum_o(one_more_turn)
  );
  assign turns = turn_i ? one_more_turn : turns_q;
  cf_saturating_add #(.Width(EventWidth), .AddWidth(1)) u_windows (
    .value_i(windows_q), .add_i(totals_i), .sum_o(windows)
  );
  cf_saturating_add #(.Width(EventWidth), .AddWidth(LaneWidth)) u_faults (
    .value_i(faults_q), .add_i(fault_count), .sum_o(faults)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turns_q   <= '0;
      windows_q <= '0;
      faults_q  <= '0;
    end else begin
      turns_q   <= turns;
      windows_q <= windows;
      faults_q  <= faults;
      if (clear_turns_i) begin
        turns_q <= '0;
      end
      if (clear_windows_i) begin
        windows_q <= '0;
      end
      if (clear_faults_i) begin
        faults_q <= '0;
      end
    end
  end

  assign irq_status_o  = irq_status_q;
  assign irq_enable_o  = irq_enable_q;
  assign irq_o         = (irq_status_q & irq_enable_q) != '0;
  assign turns_o       = turns_q;
  assign windows_o     = windows_q;
  assign faults_o      = faults_q;
  assign busy_ab_o     = busy_ab_q;
  assign busy_ba_o     = busy_ba_q;
  assign capacity_ab_o = capacity_ab_q;
  assign capacity_ba_o = capacity_ba_q;

  `CF_ASSERT_SETUP
  `CF_ASSERT(A11_counts_never_wrap, turns >= turns_q && windows >= windows_q && faults >= faults_q)
  `CF_COVER(A11_turns_stay, turns_q == '1 && turn_i)
  `CF_COVER(A11_windows_stay, windows_q == '1 && totals_i)
  `CF_COVER(A11_faults_stay, faults_q == '1 && fault_i != '0)
  `CF_NEXT(A11_turn_counts, turn_i && !clear_turns_i, turns_q != '0 && irq_status_q[0])
  `CF_NEXT(A11_fault_counts, fault_i != '0 && !clear_faults_i, faults_q != '0 && irq_status_q[1])
  `CF_STABLE(A11_last_window_stays, !totals_i, {busy_ab_q, busy_ba_q, capacity_ab_q, capacity_ba_q})

endmodule
