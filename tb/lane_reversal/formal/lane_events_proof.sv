// SPDX-License-Identifier: Apache-2.0
// Software's view of events, with counters so narrow that they reach their limits.
module lane_events_proof (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       turn_i,
  input logic [1:0] fault_i,
  input logic       totals_i,
  input logic [3:0] busy_ab_i,
  input logic [3:0] busy_ba_i,
  input logic [3:0] capacity_ab_i,
  input logic [3:0] capacity_ba_i,
  input logic [1:0] wdata_i,
  input logic       write_irq_status_i,
  input logic       write_irq_enable_i,
  input logic       clear_turns_i,
  input logic       clear_windows_i,
  input logic       clear_faults_i
);

  initial assume (!rst_ni);

  cf_lane_events #(.Lanes(2), .CountWidth(4), .EventWidth(3)) u_dut (
    .clk_i, .rst_ni, .turn_i, .fault_i, .totals_i, .busy_ab_i, .busy_ba_i, .capacity_ab_i, .capacity_ba_i, .wdata_i,
    .write_irq_status_i, .write_irq_enable_i, .clear_turns_i, .clear_windows_i, .clear_faults_i, .irq_status_o(),
    .irq_enable_o(), .irq_o(), .turns_o(), .windows_o(), .faults_o(), .busy_ab_o(), .busy_ba_o(), .capacity_ab_o(),
    .capacity_ba_o()
  );

endmodule
