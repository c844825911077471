// SPDX-License-Identifier: Apache-2.0
// The queue between stages with free inputs, from a reset; later resets come at any time.
module fifo_proof (
  input logic clk_i,
  input logic rst_ni,
  input logic in_valid_i,
  input logic in_data_i,
  input logic out_ready_i
);

  initial assume (!rst_ni);

  cf_nic_rx_fifo #(.Width(1), .Depth(4)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(), .in_data_i, .out_valid_o(), .out_ready_i, .out_data_o()
  );

endmodule
