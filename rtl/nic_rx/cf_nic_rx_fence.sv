// SPDX-License-Identifier: Apache-2.0
// Acknowledges an invalidation when every packet that may have used the old translations has ended: its writes are
// acknowledged then. One invalidation at a time.
`include "cf_assert.svh"

module cf_nic_rx_fence (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        invalidate_i,   // none between one and its done_o
  input  logic [15:0] searched_i,     // packets before this number have, or get, their buffer
  input  logic [15:0] retired_i,      // packets before this number have ended
  output logic        done_o          // for one cycle
);

  logic        busy_q;
  logic [15:0] fence_q, left;

  // Packets that are still to end; fewer than 2^15 are in the datapath.
  assign left   = fence_q - retired_i;
  assign done_o = busy_q && (left == '0 || left[15]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      fence_q <= '0;
    end else if (invalidate_i) begin
      busy_q  <= 1'b1;
      fence_q <= searched_i;
    end else if (done_o) begin
      busy_q <= 1'b0;
    end
  end

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B8_one_at_a_time, !(invalidate_i && busy_q))
  `CF_WHERE(B8_done_after_old_writes, done_o, left == '0 || left[15])
  `CF_COVER(B8_waits, busy_q && !done_o)

endmodule
