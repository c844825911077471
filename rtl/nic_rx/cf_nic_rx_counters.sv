// SPDX-License-Identifier: Apache-2.0
// The packets that have ended, and the bytes of payload written: 13 counters of 32 bits as the register map has them,
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
  output logic [32*13-1:0]       counters_o   // accepted, mailbox, bytes low, high; drops, one a reason
);

  localparam int unsigned Reasons = 9;

  logic [31:0]        accepted_q, mailed_q;
  logic [63:0]        bytes_q;
  logic [Reasons-1:0] counted;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accepted_q <= '0;
      mailed_q   <= '0;
      bytes_q    <= '0;
    end else begin
      accepted_q <= accepted_q + {31'd0, accepted_i};
      mailed_q   <= mailed_q + {31'd0, mailed_i};
      if (accepted_i) begin
        bytes_q <= bytes_q + {51'd0, length_i};
      end
    end
  end

  for (genvar r = 0; r < Reasons; r++) begin : gen_reason
    logic [31:0] drops_q;

    assign counted[r] = dropped_i && reason_i == 4'(r);
    assign counters_o[32*(4+r)+:32] = drops_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        drops_q <= '0;
      end else begin
        drops_q <= drops_q + {31'd0, counted[r]};
      end
    end
  end

  assign counters_o[127:0] = {bytes_q, mailed_q, accepted_q};

  `CF_ASSERT_SETUP
  `CF_WHERE(B20_counted_once, dropped_i, counted != '0 && (counted & (counted - Reasons'(1))) == '0)
  `CF_WHERE(B20_only_drops_counted, counted != '0, dropped_i)

endmodule
