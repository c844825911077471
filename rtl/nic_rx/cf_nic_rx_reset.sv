// SPDX-License-Identifier: Apache-2.0
// A soft reset: all packets inside are dropped, and what was set up must be set up anew. No write and no read of a
// table is cut: the reset waits until none is offered, and what was sent comes home before packets are taken again.
// The rest of a packet that was coming in is dropped.
//
//   state | until                                                          | then
//   Run   | soft_reset_i, but in the cycle in which rst_ni has risen        | Quiet
//   Quiet | no write is under way, no read of a table is offered           | Clear
//   Clear | one cycle: the datapath is in reset                            | Drain
//   Drain | writes are acknowledged, reads answered, the cut packet is over | Run
`include "cf_assert.svh"

module cf_nic_rx_reset (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic soft_reset_i,     // a request, taken while not busy
  output logic clear_no,         // reset of the datapath; from a register
  output logic clear_o,          // a soft reset clears
  output logic hold_o,           // begin no write
  output logic discard_o,        // words that come are dropped
  output logic accept_o,         // packets may begin
  output logic busy_o,           // from the fall of rst_ni to the first edge after its rise, too
  // what is under way
  input  logic channel_free_i,
  input  logic writes_home_i,
  input  logic table_valid_i,
  input  logic table_taken_i,
  input  logic entry_valid_i,
  input  logic word_taken_i,
  input  logic word_last_i
);

  typedef enum logic [1:0] {
    Run   = 2'd0,
    Quiet = 2'd1,
    Clear = 2'd2,
    Drain = 2'd3
  } state_e;

  state_e state_d, state_q;
  logic   clear_nq, inside_q, reading_q;
  logic   begun_q;  // rst_ni has risen an edge ago: clear_nq has too many loads to be in a path

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Run: begin
        if (soft_reset_i && begun_q) begin
          state_d = Quiet;
        end
      end
      Quiet: begin
        if (channel_free_i && !table_valid_i) begin
          state_d = Clear;
        end
      end
      Clear: state_d = Drain;
      default: begin
        if (writes_home_i && !reading_q && !inside_q) begin
          state_d = Run;
        end
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Run;
      clear_nq  <= 1'b0;
      begun_q   <= 1'b0;
      inside_q  <= 1'b0;
      reading_q <= 1'b0;
    end else begin
      state_q   <= state_d;
      clear_nq  <= state_d != Clear;
      begun_q   <= 1'b1;
      reading_q <= (reading_q || table_taken_i) && !entry_valid_i;
      if (word_taken_i) begin
        inside_q <= !word_last_i;
      end
    end
  end

  assign clear_no  = clear_nq;
  assign clear_o   = state_q == Clear;
  assign hold_o    = state_q != Run;
  assign discard_o = (state_q == Clear || state_q == Drain) && inside_q;
  assign accept_o  = state_q == Run && begun_q;
  assign busy_o    = state_q != Run || !begun_q;

  `CF_ASSERT_SETUP
  `CF_NEXT(B16_cleared_in_a_write, !channel_free_i, state_q != Clear)
  `CF_NEXT(B10_cleared_in_a_read, table_valid_i && !table_taken_i, state_q != Clear)
  `CF_NEVER(B16_write_while_it_drains, state_q == Drain && !channel_free_i)
  `CF_NEXT(B16_home_after_reset, state_q == Drain && state_d == Run, writes_home_i)
  `CF_COVER(B21_reset_in_a_packet, state_q == Clear && inside_q)
  `CF_COVER(B16_reset_waits_for_writes, state_q == Drain && !writes_home_i)
  `CF_COVER(B10_reset_in_a_read, state_q == Clear && reading_q)

endmodule
