// SPDX-License-Identifier: Apache-2.0
// One cover point, as a module: in a loop of instances each has its own name; labels in a generate loop have none in
// Yosys. It is not synthesised.
`include "cf_assert.svh"

module cf_cover (
  input logic clk_i,
  input logic rst_ni,
  input logic hit_i
);

  `CF_ASSERT_SETUP
  `CF_COVER(C_hit, hit_i)

endmodule
