// SPDX-License-Identifier: Apache-2.0
// cf_register_file with a bit of parity for each part of 32 bits, in a register file of its own that is written and read
// with it. Timing as there; *_bad_o are combinational: what is read is not as it was written, in one bit or in an odd
// number of bits of a part.
module cf_checked_register_file #(
  parameter int unsigned Width = 256,  // bits of a word, a multiple of 32
  parameter int unsigned Words = 8,
  localparam int unsigned Parts = Width / 32,
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
  output logic                      first_bad_o,      // 0 without first_read_i
  input  logic                      second_read_i,
  input  logic [IndexWidth-1:0]     second_address_i,
  input  logic [PartIndexWidth-1:0] second_part_i,
  output logic [31:0]               second_data_o,
  output logic                      second_bad_o      // 0 without second_read_i
);

  logic [Parts-1:0] write_parity, first_parity, first_stored;
  logic [0:0]       second_parity, second_stored;

  cf_parity #(.Width(Width)) u_write (.enable_i(write_i), .data_i(write_data_i), .parity_o(write_parity));
  cf_parity #(.Width(Width)) u_first (.enable_i(first_read_i), .data_i(first_data_o), .parity_o(first_parity));
  cf_parity #(.Width(32)) u_second (.enable_i(second_read_i), .data_i(second_data_o), .parity_o(second_parity));

  cf_register_file #(.Width(Width), .Parts(Parts), .Words(Words)) u_data (
    .clk_i, .write_i, .write_address_i, .write_mask_i, .write_data_i, .first_read_i, .first_address_i, .first_data_o,
    .second_read_i, .second_address_i, .second_part_i, .second_data_o
  );

  cf_register_file #(.Width(Parts), .Parts(Parts), .Words(Words)) u_parity (
    .clk_i, .write_i, .write_address_i, .write_mask_i, .write_data_i(write_parity), .first_read_i, .first_address_i,
    .first_data_o(first_stored), .second_read_i, .second_address_i, .second_part_i, .second_data_o(second_stored)
  );

  assign first_bad_o  = first_read_i && first_parity != first_stored;
  assign second_bad_o = second_read_i && second_parity != second_stored;

endmodule
