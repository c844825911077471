// SPDX-License-Identifier: Apache-2.0
// The write channel. Completions go before data, between writes: a write that was offered is not given up. A write
// takes its tag with its first beat.
`include "cf_assert.svh"

module cf_nic_rx_channel #(
  parameter int unsigned TagWidth = 5
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  hold_i,          // begin no write
  output logic                  free_o,          // no write is offered or under way
  output logic                  quiet_o,         // nothing changes until a beat is taken
  // completions
  input  logic                  first_valid_i,
  output logic                  first_ready_o,
  input  cf_nic_rx_pkg::dma_t   first_i,
  // data
  input  logic                  second_valid_i,
  output logic                  second_ready_o,
  output logic                  second_offered_o,  // it is what dma_o shows
  input  cf_nic_rx_pkg::dma_t   second_i,
  // tags
  input  logic                  tag_valid_i,
  input  logic [TagWidth-1:0]   tag_i,
  output logic                  take_o,
  // channel
  output logic                  dma_valid_o,
  input  logic                  dma_ready_i,
  output cf_nic_rx_pkg::dma_t   dma_o,
  output logic [TagWidth-1:0]   dma_tag_o
);

  logic                offered_q, second_q;  // the write that was offered is data
  logic                burst_q;              // its first beat was taken
  logic                second, valid, fire;
  logic [TagWidth-1:0] tag_q;

  always_comb begin
    second = !first_valid_i;
    if (offered_q) begin
      second = second_q;
    end
    if (second) begin
      dma_o = second_i;
      valid = second_valid_i;
    end else begin
      dma_o = first_i;
      valid = first_valid_i;
    end
  end

  assign dma_valid_o    = valid && (burst_q || tag_valid_i) && (offered_q || !hold_i);
  assign dma_tag_o      = burst_q ? tag_q : tag_i;
  assign fire           = dma_valid_o && dma_ready_i;
  assign take_o         = fire && !burst_q;
  assign first_ready_o  = fire && !second;
  assign second_ready_o = fire && second;
  assign second_offered_o = dma_valid_o && second;
  assign free_o         = !offered_q;
  assign quiet_o        = offered_q || !dma_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offered_q <= 1'b0;
      second_q  <= 1'b0;
      burst_q   <= 1'b0;
      tag_q     <= '0;
    end else begin
      if (dma_valid_o) begin
        offered_q <= !(dma_ready_i && dma_o.last);
      end
      if (dma_valid_o && !offered_q) begin
        second_q <= second;
      end
      if (fire) begin
        burst_q <= !dma_o.last;
      end
      if (take_o) begin
        tag_q <= tag_i;
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_STABLE(B21_dma_valid_until_taken, dma_valid_o && !dma_ready_i, dma_valid_o)
  `CF_STABLE(B21_dma_until_taken, dma_valid_o && !dma_ready_i, {dma_o, dma_tag_o})
  `CF_NEVER(B16_burst_not_offered, burst_q && !offered_q)
  `CF_NEVER(B14_sources_mix, burst_q && second != second_q)
  `CF_STABLE(B14_one_address_a_write, fire && !dma_o.last, {dma_o.kind, dma_o.space, dma_o.address, dma_o.number})
  `CF_COVER(B17_completion_goes_first, first_valid_i && second_valid_i && !offered_q)
  `CF_COVER(B17_completion_waits, first_valid_i && offered_q && second_q)
  `CF_COVER(B16_no_tag, valid && !tag_valid_i)

endmodule
