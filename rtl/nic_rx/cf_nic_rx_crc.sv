// SPDX-License-Identifier: Apache-2.0
// One step of CRC-32 (Ethernet, zlib) over a word of 16 bytes, the lowest byte and bit first. Combinational; each bit
// of the result is the parity of some of the 128 bits of the word with the old CRC added to its first 32.
module cf_nic_rx_crc (
  input  logic [31:0]  crc_i,   // all ones before the first word; the CRC is the complement after the last
  input  logic [127:0] word_i,
  output logic [31:0]  crc_o
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

  logic [127:0] bits;

  assign bits = word_i ^ {96'b0, crc_i};

  for (genvar b = 0; b < 32; b++) begin : gen_bit
    assign crc_o[b] = ^(bits & Masks[128*b+:128]);
  end

endmodule
