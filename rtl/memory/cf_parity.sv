// SPDX-License-Identifier: Apache-2.0
// The parity of each 32 bits: 1 where an odd number of them is 1. Combinational, and 0 without enable_i.
module cf_parity #(
  parameter int unsigned Width = 128,
  localparam int unsigned Parts = Width / 32
) (
  input  logic             enable_i,
  input  logic [Width-1:0] data_i,
  output logic [Parts-1:0] parity_o
);

  if (Width == 0 || Width % 32 != 0) begin : gen_check_width
    $fatal(1, "Width is %0d, no multiple of 32", Width);
  end

  always_comb begin
    parity_o = '0;
    if (enable_i) begin
      for (int unsigned p = 0; p < Parts; p++) begin
        parity_o[p] = ^data_i[32*p+:32];
      end
    end
  end

endmodule
