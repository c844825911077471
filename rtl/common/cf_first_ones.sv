// SPDX-License-Identifier: Apache-2.0
// The first ones of a vector, up to a number, counted from bit 0. Combinational.
module cf_first_ones #(
  parameter int unsigned Width = 16,  // bits of the vector
  localparam int unsigned CountWidth = $clog2(Width + 1)
) (
  input  logic [Width-1:0]      bits_i,
  input  logic [CountWidth-1:0] count_i,
  output logic [Width-1:0]      first_o
);

  if (Width < 1) begin : gen_check_width
    $fatal(1, "%m: Width is 0");
  end

  logic [CountWidth-1:0] ones_below;

  always_comb begin
    ones_below = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      first_o[i] = bits_i[i] && ones_below < count_i;
      ones_below     = ones_below + CountWidth'(bits_i[i]);
    end
  end

endmodule
