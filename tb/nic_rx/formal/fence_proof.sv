// SPDX-License-Identifier: Apache-2.0
// An invalidation is acknowledged in the first cycle in which all packets before it have ended, for any numbers of packets, which
// wrap.
module fence_proof (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        invalidate_i,
  input logic [15:0] searched_i,
  input logic [15:0] retired_i
);

  (* hierconn *) wire \u_dut.busy_q ;
  logic        done, waits_q;
  logic [15:0] first_after_q, beyond;  // the first packet that need not end; how many of those have ended

  cf_nic_rx_fence u_dut (.clk_i, .rst_ni, .invalidate_i, .searched_i, .retired_i, .done_o(done));

  assign beyond = retired_i - first_after_q;

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q       <= 1'b0;
      first_after_q <= '0;
    end else if (invalidate_i) begin
      waits_q       <= 1'b1;
      first_after_q <= searched_i;
    end else if (!beyond[15]) begin
      waits_q <= 1'b0;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!invalidate_i || !waits_q);
      assume (beyond != 16'h8000);  // never so many are inside
      B8_done_when_all_before_have_ended: assert (done == (waits_q && !beyond[15]));
      B8_busy_until_then: assert (\u_dut.busy_q == waits_q);
      C_done_later: cover (done && first_after_q == 16'h0fff);
    end
  end

endmodule
