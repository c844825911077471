// SPDX-License-Identifier: Apache-2.0
// A small memory, without reset: the place for a register file of latches or flip-flops. A cycle has one write of chosen
// parts, one read of a word and one of a part. Timing: a read is combinational, and 0 without its enable; a word that is
// written shows in the next cycle.
module cf_register_file #(
  parameter int unsigned Width = 256,  // bits of a word
  parameter int unsigned Parts = 8,    // of a word, all of the same width
  parameter int unsigned Words = 8,
  localparam int unsigned PartWidth = Width / Parts,
  localparam int unsigned PartIndexWidth = Parts > 1 ? $clog2(Parts) : 1,
  localparam int unsigned IndexWidth = Words > 1 ? $clog2(Words) : 1
) (
  input  logic                      clk_i,
  input  logic                      write_i,
  input  logic [IndexWidth-1:0]     write_address_i,
  input  logic [Parts-1:0]          write_mask_i,
  input  logic [Width-1:0]          write_data_i,
  input  logic                      first_read_i,
  input  logic [IndexWidth-1:0]     first_address_i,
  output logic [Width-1:0]          first_data_o,
  input  logic                      second_read_i,
  input  logic [IndexWidth-1:0]     second_address_i,
  input  logic [PartIndexWidth-1:0] second_part_i,
  output logic [PartWidth-1:0]      second_data_o
);

  if (Parts < 1 || Width % Parts != 0) begin : gen_check_parts
    $fatal(1, "Width is %0d, no multiple of Parts, %0d", Width, Parts);
  end

  logic [Width-1:0] words_q [0:Words-1];

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      for (int unsigned p = 0; p < Parts; p++) begin
        if (write_mask_i[p]) begin
          words_q[write_address_i][PartWidth*p+:PartWidth] <= write_data_i[PartWidth*p+:PartWidth];
        end
      end
    end
  end

  always_comb begin
    first_data_o = '0;
    if (first_read_i) begin
      first_data_o = words_q[first_address_i];
    end
    second_data_o = '0;
    if (second_read_i) begin
      second_data_o = words_q[second_address_i][PartWidth*second_part_i+:PartWidth];
    end
  end

endmodule
