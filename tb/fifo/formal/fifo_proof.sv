// SPDX-License-Identifier: Apache-2.0
// The queue with free inputs; only a reset at the start is assumed. Later resets come at any time.
module fifo_proof #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             in_valid_i,
  input logic [Width-1:0] in_data_i,
  input logic             out_ready_i
);

  initial assume (!rst_ni);

  cf_fifo #(.Width(Width), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(), .in_data_i, .out_valid_o(), .out_ready_i, .out_data_o()
  );

endmodule
