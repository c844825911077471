// SPDX-License-Identifier: Apache-2.0
// cf_ram with a bit of parity for each 32 bits, above them in the memory's word. Timing of data as in cf_ram; bad_o is
// combinational of the word that shows: with check_i, it is not as it was written, in one bit or in an odd number of bits
// of a part.
module cf_checked_ram #(
  parameter int unsigned Width = 128,  // bits of a word, a multiple of 32
  parameter int unsigned Words = 1024,
  localparam int unsigned IndexWidth = Words > 1 ? $clog2(Words) : 1
) (
  input  logic                  clk_i,
  input  logic                  clk_read_i,
  input  logic                  write_i,
  input  logic [IndexWidth-1:0] write_address_i,
  input  logic [Width-1:0]      write_data_i,
  input  logic                  read_i,
  input  logic [IndexWidth-1:0] read_address_i,
  output logic [Width-1:0]      read_data_o,
  input  logic                  check_i,
  output logic                  bad_o            // 0 without check_i
);

  localparam int unsigned Parts = Width / 32;

  logic [Parts-1:0] write_parity, read_parity, stored_parity;

  cf_parity #(.Width(Width)) u_write (.enable_i(write_i), .data_i(write_data_i), .parity_o(write_parity));
  cf_parity #(.Width(Width)) u_read (.enable_i(check_i), .data_i(read_data_o), .parity_o(read_parity));

  cf_ram #(.Width(Width + Parts), .Words(Words)) u_ram (
    .clk_i, .clk_read_i, .write_i, .write_address_i, .write_data_i({write_parity, write_data_i}), .read_i, .read_address_i,
    .read_data_o({stored_parity, read_data_o})
  );

  assign bad_o = check_i && read_parity != stored_parity;

endmodule
