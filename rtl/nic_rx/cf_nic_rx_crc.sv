// SPDX-License-Identifier: Apache-2.0
// One step of CRC-32 (Ethernet, zlib) over a word of 16 bytes, the lowest byte and bit first. Combinational; each bit
// of the result is the parity of some of the 128 bits of the word with the old CRC added to its first 32.
module cf_nic_rx_crc (
  input  logic [31:0]  crc_i,   // all ones before the first word; the CRC is the complement after the last
  input  logic [127:0] word_i,
  output logic [31:0]  crc_o
);

  localparam logic [31:0] Polynomial = 32'hEDB88320;  // reflected

  logic [127:0]  bits;
  logic [4095:0] masks;   // of the bits that count, 128 for each bit of the result; constants
  logic [31:0]   column;  // what one bit of the word adds to the result

  assign bits = word_i ^ {96'b0, crc_i};

  always_comb begin
    column = Polynomial;
    masks  = '0;
    for (int i = 127; i >= 0; i--) begin
      for (int b = 0; b < 32; b++) begin
        masks[128*b+i] = column[b];
      end
      column = {1'b0, column[31:1]} ^ (Polynomial & {32{column[0]}});
    end
  end

  for (genvar b = 0; b < 32; b++) begin : gen_bit
    assign crc_o[b] = ^(bits & masks[128*b+:128]);
  end

endmodule
