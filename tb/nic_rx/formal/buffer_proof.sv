// SPDX-License-Identifier: Apache-2.0
// The packet buffer with its one clock.
module buffer_proof #(
  parameter int unsigned Words = 512
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         push_i,
  input logic [127:0] push_data_i,
  input logic         commit_i,
  input logic         rewind_i,
  input logic         pop_i,
  input logic         skip_i,
  input logic [8:0]   skip_words_i
);

  cf_nic_rx_buffer #(.Words(Words)) u_dut (
    .clk_i, .clk_read_i(clk_i), .rst_ni, .room_o(), .push_i, .push_data_i, .commit_i, .rewind_i, .data_o(), .pop_i,
    .skip_i, .skip_words_i
  );

  initial assume (!rst_ni);

endmodule
