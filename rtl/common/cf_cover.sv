// SPDX-License-Identifier: Apache-2.0
// One cover point, as a module: in a loop of instances each has a name of its own, which labels in a generate loop do
// not have in Yosys. Nothing of it is synthesised.
`include "cf_assert.svh"

module cf_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic hit_i
);

  `CF_ASSERT_SETUP
  `CF_COVER(C_hit, hit_i)

endmodule
