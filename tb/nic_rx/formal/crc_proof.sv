// SPDX-License-Identifier: Apache-2.0
// The CRC against its polynomial, a bit after the other, for every word and every CRC before it that have at most one
// bit that is 1. The step is a sum of bits (proof `crc_sum`), so it agrees for all others, too.
module crc_proof (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       step_i,
  input logic       first_i,
  input logic [7:0] bit_i   // that is 1: of the word, from 128 on of the CRC before, from 160 on none
);

  localparam logic [31:0] Polynomial = 32'h04C11DB7;  // x^31 is its highest bit; x^32 is not written

  // The bits of a word enter lowest first. Bit 0 of the CRC stands for x^31.
  function [31:0] serial(input [31:0] crc, input [127:0] word);
    logic [31:0] sum;
    for (int unsigned b = 0; b < 32; b++) begin
      sum[b] = crc[31-b];
    end
    for (int unsigned i = 0; i < 128; i++) begin
      sum = {sum[30:0], 1'b0} ^ (Polynomial & {32{sum[31] ^ word[i]}});
    end
    for (int unsigned b = 0; b < 32; b++) begin
      serial[b] = sum[31-b];
    end
  endfunction

  localparam logic [31:0] Ones = 32'hFFFF_FFFF;
  localparam logic [31:0] Zeros = 32'd0;
  localparam int unsigned None = 160;
  localparam logic [31:0] LaterNone = serial(Zeros, 128'd0);
  localparam logic [31:0] FirstNone = serial(Ones, 128'd0);
  localparam logic [31:0] Known = serial(Ones, 128'h66656463626139383736353433323130);

  logic [127:0] word;
  logic [31:0]  before, crc, later, first, expected_q, kept_q;
  logic [31:0]  later_of [0:None-1];
  logic [31:0]  first_of [0:127];
  logic         known_q, kept_q_valid;

  for (genvar i = 0; i < 128; i++) begin : gen_word
    localparam logic [31:0] Later = serial(Zeros, 128'd1 << i);
    localparam logic [31:0] First = serial(Ones, 128'd1 << i);
    assign word[i]     = bit_i == 8'(i);
    assign later_of[i] = Later & {32{word[i]}};
    assign first_of[i] = First & {32{word[i]}};
  end
  for (genvar i = 0; i < 32; i++) begin : gen_before
    localparam logic [31:0] Later = serial(32'd1 << i, 128'd0);
    assign before[i]         = bit_i == 8'(128 + i);
    assign later_of[128+i] = Later & {32{before[i]}};
  end
  always_comb begin
    later = LaterNone & {32{bit_i >= 8'(None)}};
    first = FirstNone & {32{bit_i >= 8'd128}};
    for (int unsigned i = 0; i < None; i++) begin
      later = later | later_of[i];
    end
    for (int unsigned i = 0; i < 128; i++) begin
      first = first | first_of[i];
    end
  end

  cf_nic_rx_crc u_dut (.clk_i, .rst_ni, .step_i, .first_i, .word_i(word), .crc_o(crc));

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q      <= 1'b0;
      kept_q_valid <= 1'b0;
    end else begin
      known_q      <= step_i && (first_i || crc == before);
      kept_q_valid <= !step_i;
    end
  end
  always_ff @(posedge clk_i) begin
    expected_q <= first_i ? first : later;
    kept_q     <= crc;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B3_step_is_the_polynomials: assert (!known_q || crc == expected_q);
      B3_crc_stays_without_a_word: assert (!kept_q_valid || crc == kept_q);
      // zlib says so of the bytes "0123456789abcdef".
      B3_polynomial_is_the_usual_one: assert (~Known == 32'h68C4F033);
      C_first_word: cover (known_q && crc == gen_word[127].First);
      C_back_to_zero: cover (known_q && crc == '0);
    end
  end

endmodule
