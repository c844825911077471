// SPDX-License-Identifier: Apache-2.0
// Parity as its module promises it: whoever writes a memory and whoever reads it compute the same, so that no test of the two
// together tells a wrong one from a right one.
module parity_proof #(
  parameter int unsigned Width = 128
) (
  input logic             clk_i,
  input logic             enable_i,
  input logic [Width-1:0] data_i
);

  localparam int unsigned Parts = Width / 32;

  logic [Parts-1:0] parity, wanted;

`ifdef CF_HARDWARE
  cf_parity u_dut (.enable_i, .data_i, .parity_o(parity));  // a netlist of that width
`else
  cf_parity #(.Width(Width)) u_dut (.enable_i, .data_i, .parity_o(parity));
`endif

  always_comb begin
    for (int unsigned p = 0; p < Parts; p++) begin
      wanted[p] = enable_i && ^data_i[32*p+:32];
    end
  end

  always @(posedge clk_i) begin
    B23_odd_number_of_ones: assert (parity == wanted);
    C_odd: cover (parity == '1);
  end

endmodule
