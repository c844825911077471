// SPDX-License-Identifier: Apache-2.0
// CRC-32 (Ethernet, zlib) over words of 16 bytes, the lowest byte and bit first. A word a cycle: each bit of the result
// is the parity of some of the 128 bits of the word with the CRC so far, all ones at first, added to its first 32.
module cf_nic_rx_crc (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         step_i,   // a word is added
  input  logic         first_i,  // it is the first one
  input  logic [127:0] word_i,
  output logic [31:0]  crc_o     // of the words so far; the CRC is its complement
);

  localparam logic [31:0] Polynomial = 32'hEDB88320;  // reflected

  // The bits that count, 128 for each bit of the result.
  function [4095:0] masks_of(input [31:0] polynomial);
    logic [31:0] column;  // what one bit of the word adds to the result
    column = polynomial;
    for (int unsigned i = 0; i < 128; i++) begin
      for (int unsigned b = 0; b < 32; b++) begin
        masks_of[128*b+127-i] = column[b];
      end
      column = {1'b0, column[31:1]} ^ (polynomial & {32{column[0]}});
    end
  endfunction

  localparam logic [4095:0] Masks = masks_of(Polynomial);

  logic [31:0]  crc_q;
  logic [127:0] bits;

  assign bits  = word_i ^ {96'b0, first_i ? 32'hFFFF_FFFF : crc_q};
  assign crc_o = crc_q;

  // Halves of 64 bits, because a simulator handles them as whole words.
  function [31:0] sum_of(input [63:0] low, input [63:0] high);
    for (int unsigned b = 0; b < 32; b++) begin
      sum_of[b] = ^((low & Masks[128*b+:64]) ^ (high & Masks[128*b+64+:64]));
    end
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      crc_q <= '0;
    end else if (step_i) begin
      crc_q <= sum_of(bits[63:0], bits[127:64]);
    end
  end

endmodule
