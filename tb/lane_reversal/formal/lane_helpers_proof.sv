// SPDX-License-Identifier: Apache-2.0
// The helpers without state against what their headers say: a sum that stays, counts of ones in binary and in unary, the
// ones up to each bit.
`include "cf_assert.svh"

module lane_helpers_proof #(
  parameter int unsigned Width = 8,
  localparam int unsigned CountWidth = $clog2(Width + 1)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] value_i,
  input logic [2:0]       add_i,
  input logic [Width-1:0] bits_i
);

  logic [Width-1:0]            sum, more_than;
  logic [CountWidth-1:0]       ones;
  logic [Width*CountWidth-1:0] up_to;
  logic [Width:0]              exact;

  cf_saturating_add #(.Width(Width), .AddWidth(3)) u_add (.value_i, .add_i, .sum_o(sum));
  cf_count_ones #(.Width(Width)) u_ones (.bits_i, .count_o(ones));
  cf_unary_count #(.Width(Width)) u_unary (.bits_i, .more_than_o(more_than));
  cf_ones_up_to #(.Width(Width)) u_up_to (.bits_i, .up_to_o(up_to));

  assign exact = (Width + 1)'(value_i) + (Width + 1)'(add_i);

  // Removing the lowest one takes one from the count.
  logic [CountWidth-1:0] fewer;
  cf_count_ones #(.Width(Width)) u_fewer (.bits_i(bits_i & (bits_i - Width'(1))), .count_o(fewer));

  // Of the lowest bits, from none of them on.
  logic [CountWidth-1:0] so_far;
  logic                  wrong_up_to, wrong_unary;
  always_comb begin
    so_far      = '0;
    wrong_up_to = 1'b0;
    wrong_unary = 1'b0;
    for (int unsigned i = 0; i < Width; i++) begin
      so_far      = so_far + CountWidth'(bits_i[i]);
      wrong_up_to = wrong_up_to || up_to[CountWidth*i+:CountWidth] != so_far;
      wrong_unary = wrong_unary || more_than[i] != (ones > CountWidth'(i));
    end
  end

  `CF_ASSERT_SETUP
  `CF_ASSERT(A11_sum_exact_or_greatest, exact[Width] ? sum == '1 : {1'b0, sum} == exact)
  `CF_ASSERT(P_count_ones, bits_i == '0 ? ones == '0 : ones == fewer + CountWidth'(1))
  `CF_NEVER(P_up_to_counts, wrong_up_to)
  `CF_NEVER(P_unary_counts, wrong_unary)
  `CF_COVER(A11_stays, sum == '1 && add_i != '0)
  `CF_COVER(P_all, bits_i == '1)
  `CF_COVER(P_some, more_than[0] && !more_than[Width-1] && up_to[CountWidth*(Width/2)+:CountWidth] != '0)

endmodule
