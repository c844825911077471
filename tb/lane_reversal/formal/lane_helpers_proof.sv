// SPDX-License-Identifier: Apache-2.0
// The helpers without state against what their headers say: a sum that stays, a count of ones, the first ones.
`include "cf_assert.svh"

module lane_helpers_proof #(
  parameter int unsigned Width = 8,
  localparam int unsigned CountWidth = $clog2(Width + 1)
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [Width-1:0]      value_i,
  input logic [2:0]            add_i,
  input logic [Width-1:0]      bits_i,
  input logic [CountWidth-1:0] count_i
);

  logic [Width-1:0]      sum, first;
  logic [CountWidth-1:0] ones, firsts;
  logic [Width:0]        exact;

  cf_saturating_add #(.Width(Width), .AddWidth(3)) u_add (.value_i, .add_i, .sum_o(sum));
  cf_count_ones #(.Width(Width)) u_ones (.bits_i, .count_o(ones));
  cf_first_ones #(.Width(Width)) u_first (.bits_i, .count_i, .first_o(first));
  cf_count_ones #(.Width(Width)) u_firsts (.bits_i(first), .count_o(firsts));

  assign exact = (Width + 1)'(value_i) + (Width + 1)'(add_i);

  // Removing the lowest one takes one from the count.
  logic [CountWidth-1:0] fewer;
  cf_count_ones #(.Width(Width)) u_fewer (.bits_i(bits_i & (bits_i - Width'(1))), .count_o(fewer));

  // A one that was left out, below one that was taken.
  logic left_out, skipped;
  always_comb begin
    left_out = 1'b0;
    skipped  = 1'b0;
    for (int unsigned i = 0; i < Width; i++) begin
      skipped  = skipped || (first[i] && left_out);
      left_out = left_out || (bits_i[i] && !first[i]);
    end
  end

  `CF_ASSERT_SETUP
  `CF_ASSERT(A11_sum_exact_or_greatest, exact[Width] ? sum == '1 : {1'b0, sum} == exact)
  `CF_ASSERT(P_count_ones, bits_i == '0 ? ones == '0 : ones == fewer + CountWidth'(1))
  `CF_ASSERT(P_first_are_ones, (first & ~bits_i) == '0)
  `CF_ASSERT(P_first_so_many, firsts == (ones < count_i ? ones : count_i))
  `CF_NEVER(P_first_skips_none, skipped)
  `CF_COVER(A11_stays, sum == '1 && add_i != '0)
  `CF_COVER(P_all_taken, count_i != '0 && bits_i != '0 && first == bits_i)
  `CF_COVER(P_some_left, firsts != '0 && first != bits_i)

endmodule
