// SPDX-License-Identifier: Apache-2.0
// The packets that have ended, and the bytes of payload written: counters of 32 bits as the register map has them,
// bytes in two halves. They wrap.
`include "cf_assert.svh"

module cf_nic_rx_counters (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   accepted_i,
  input  logic                   mailed_i,
  input  logic                   dropped_i,
  input  cf_nic_rx_pkg::reason_e reason_i,
  input  logic [12:0]            length_i,    // of the accepted put, bytes
  output cf_nic_rx_pkg::counters_t counters_o
);

  logic [31:0]           accepted_q, mailed_q;
  logic [63:0]           bytes_q;
  logic [32*cf_nic_rx_pkg::Reasons-1:0] drops_q;  // by reason

  assign counters_o = {drops_q, bytes_q, mailed_q, accepted_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accepted_q <= '0;
      mailed_q   <= '0;
      bytes_q    <= '0;
      drops_q    <= '0;
    end else begin
      if (accepted_i) begin
        accepted_q <= accepted_q + 32'd1;
        bytes_q    <= bytes_q + {51'd0, length_i};
      end
      if (mailed_i) begin
        mailed_q <= mailed_q + 32'd1;
      end
      if (dropped_i) begin
        drops_q[32*reason_i+:32] <= drops_q[32*reason_i+:32] + 32'd1;
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_WHERE(B20_counted_once, dropped_i, reason_i < 4'(cf_nic_rx_pkg::Reasons))

endmodule
