// SPDX-License-Identifier: Apache-2.0
// A register file shows nothing without a read, as its module promises. Who reads looks at nothing else, so that no test tells
// whether it shows more.
module register_file_proof #(
  parameter int unsigned Width = 32,
  parameter int unsigned Parts = 4,
  parameter int unsigned Words = 4,
  localparam int unsigned PartWidth = Width / Parts,
  localparam int unsigned PartIndexWidth = Parts > 1 ? $clog2(Parts) : 1,
  localparam int unsigned IndexWidth = Words > 1 ? $clog2(Words) : 1
) (
  input logic                      clk_i,
  input logic                      write_i,
  input logic [IndexWidth-1:0]     write_address_i,
  input logic [Parts-1:0]          write_mask_i,
  input logic [Width-1:0]          write_data_i,
  input logic                      first_read_i,
  input logic [IndexWidth-1:0]     first_address_i,
  input logic                      second_read_i,
  input logic [IndexWidth-1:0]     second_address_i,
  input logic [PartIndexWidth-1:0] second_part_i
);

  logic [PartWidth-1:0] second_data;
  logic [Width-1:0]     first_data;

`ifdef CF_HARDWARE
  cf_register_file u_dut (  // a netlist of that width and depth
`else
  cf_register_file #(.Width(Width), .Parts(Parts), .Words(Words)) u_dut (
`endif
    .clk_i, .write_i, .write_address_i, .write_mask_i, .write_data_i, .first_read_i, .first_address_i, .first_data_o(first_data),
    .second_read_i, .second_address_i, .second_part_i, .second_data_o(second_data)
  );

  always @(posedge clk_i) begin
    B23_no_word_unread: assert (first_read_i || first_data == '0);
    B23_no_part_unread: assert (second_read_i || second_data == '0);
    C_both: cover (first_data != '0 && second_data != '0);
  end

endmodule
