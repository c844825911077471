// SPDX-License-Identifier: Apache-2.0
// Stands for the memory of BUF_LIST in proofs: any entries.
module cf_register_file #(
  parameter int unsigned Width = 256,
  parameter int unsigned Parts = 8,
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

  (* anyseq *) logic [Width-1:0]     any_first;
  (* anyseq *) logic [PartWidth-1:0] any_second;
  assign first_data_o  = any_first;
  assign second_data_o = any_second;

endmodule
