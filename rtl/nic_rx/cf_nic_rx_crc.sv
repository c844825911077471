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

`ifdef CF_CRC_TABLES
  // For a simulator: the step is a sum of bits, so also the sum of the steps of the word's bytes, which are in tables. Gates
  // are better made of the sums themselves.
  function [8191:0] table_of(input [31:0] place);  // of a byte: the steps of its 256 values
    logic [127:0] one;
    logic [31:0]  step;
    table_of[31:0] = '0;
    for (int unsigned b = 0; b < 8; b++) begin
      one  = 128'd1 << (8 * place + b);
      step = sum_of(one[63:0], one[127:64]);
      for (int unsigned v = 0; v < 2 ** b; v++) begin
        table_of[32*(2**b+v)+:32] = table_of[32*v+:32] ^ step;
      end
    end
  endfunction

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    localparam logic [8191:0] Table = table_of(i);
    logic [31:0] sum;  // of the steps of this byte and those below
    if (i == 0) begin : gen_first
      assign sum = Table[{bits[7:0], 5'd0}+:32];
    end else begin : gen_next
      assign sum = gen_byte[i-1].sum ^ Table[{bits[8*i+:8], 5'd0}+:32];
    end
  end
`endif

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      crc_q <= '0;
    end else if (step_i) begin
`ifdef CF_CRC_TABLES
      crc_q <= gen_byte[15].sum;
`else
      crc_q <= sum_of(bits[63:0], bits[127:64]);
`endif
    end
  end

endmodule
