// SPDX-License-Identifier: Apache-2.0
// One step of the CRC, of a first word and of a later one, with nothing around it: if its gates are XORs and inverters
// alone, each bit of the result is a sum of bits of the word and of the CRC before, and of a constant.
module crc_step (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [127:0] word_i,
  output logic [31:0]  first_o,
  output logic [31:0]  later_o
);

  cf_nic_rx_crc u_first (.clk_i, .rst_ni, .step_i(1'b1), .first_i(1'b1), .word_i, .crc_o(first_o));
  cf_nic_rx_crc u_later (.clk_i, .rst_ni, .step_i(1'b1), .first_i(1'b0), .word_i, .crc_o(later_o));

endmodule
