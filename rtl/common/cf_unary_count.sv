// SPDX-License-Identifier: Apache-2.0
// How many bits of a vector are 1, in unary: more_than_o[n] is high where more than n are. Combinational, by Batcher's
// odd-even merge sort, ten levels for 16 bits: a comparison with another number takes fewer levels than with a binary one.
// Source: K. E. Batcher, "Sorting networks and their applications", AFIPS 1968.
module cf_unary_count #(
  parameter int unsigned Width = 16  // bits of the vector
) (
  input  logic [Width-1:0] bits_i,
  output logic [Width-1:0] more_than_o
);

  if (Width < 1) begin : gen_check_width
    $fatal(1, "%m: Width is 0");
  end

  localparam int unsigned Padded = 1 << $clog2(Width);

  logic [Padded-1:0] sorted;
  logic              both;

  // Sorted parts of `half` bits are merged to parts of twice as many, by comparing bits at shorter and shorter distances.
  always_comb begin
    sorted = Padded'(bits_i);
    both   = 1'b0;
    for (int unsigned half = 1; half < Padded; half = 2 * half) begin
      for (int unsigned distance = half; distance >= 1; distance = distance / 2) begin
        for (int unsigned i = 0; i + distance < Padded; i++) begin
          if (i >= distance % half && ((i - distance % half) / distance) % 2 == 0 &&
              i / (2 * half) == (i + distance) / (2 * half)) begin
            both                 = sorted[i] && sorted[i+distance];
            sorted[i]            = sorted[i] || sorted[i+distance];
            sorted[i+distance]   = both;
          end
        end
      end
    end
  end

  assign more_than_o = sorted[Width-1:0];

endmodule
