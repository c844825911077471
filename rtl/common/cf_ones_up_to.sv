// SPDX-License-Identifier: Apache-2.0
// For each bit of a vector, how many bits up to it are 1, with it. Combinational: sums of neighbours, of pairs of neighbours
// and so on, so that its depth grows with the logarithm of the width.
module cf_ones_up_to #(
  parameter int unsigned Width = 16,  // bits of the vector
  localparam int unsigned CountWidth = $clog2(Width + 1)
) (
  input  logic [Width-1:0]            bits_i,
  output logic [Width*CountWidth-1:0] up_to_o  // by bit
);

  if (Width < 1) begin : gen_check_width
    $fatal(1, "%m: Width is 0");
  end

  // After each round the sum of a bit is that of the bits up to it in its block of 2 * half. The sum of the lower half is
  // that of its last bit, which does not change in this round.
  logic [Width*CountWidth-1:0] sum;
  always_comb begin
    for (int unsigned i = 0; i < Width; i++) begin
      sum[CountWidth*i+:CountWidth] = CountWidth'(bits_i[i]);
    end
    for (int unsigned half = 1; half < Width; half = 2 * half) begin
      for (int unsigned i = 0; i < Width; i++) begin
        if ((i / half) % 2 == 1) begin
          // No more bits than a count of i + 1 takes.
          sum[CountWidth*i+:CountWidth] = (sum[CountWidth*i+:CountWidth] + sum[CountWidth*(i/half*half-1)+:CountWidth]) &
                                          CountWidth'(2 ** $clog2(i + 2) - 1);
        end
      end
    end
  end

  assign up_to_o = sum;

endmodule
