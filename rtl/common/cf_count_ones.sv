// SPDX-License-Identifier: Apache-2.0
// How many bits of a vector are 1. Combinational.
module cf_count_ones #(
  parameter int unsigned Width = 16,  // bits of the vector
  localparam int unsigned CountWidth = $clog2(Width + 1)
) (
  input  logic [Width-1:0]      bits_i,
  output logic [CountWidth-1:0] count_o
);

  if (Width < 1) begin : gen_check_width
    $fatal(1, "%m: Width is 0");
  end

  always_comb begin
    count_o = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      count_o = count_o + CountWidth'(bits_i[i]);
    end
  end

endmodule
