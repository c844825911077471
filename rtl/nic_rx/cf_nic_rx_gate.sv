// SPDX-License-Identifier: Apache-2.0
// The place for a clock gate: the registers behind clk_o do not change in a cycle without enable_i. As it stands here, the
// clock passes. With CF_GATE_CLOCKS defined it stops; without a latch, so only where the clock falls before enable_i
// changes, as in a simulator that evaluates a cycle at once.
module cf_nic_rx_gate (
  input  logic clk_i,
  input  logic enable_i,  // stays from before the edge until the clock has fallen
  output logic clk_o
);

`ifdef CF_GATE_CLOCKS
  assign clk_o = clk_i && enable_i;
`else
  assign clk_o = clk_i;

  logic unused_enable;
  assign unused_enable = enable_i;
`endif

endmodule
