// SPDX-License-Identifier: Apache-2.0
// Whether the core's next answer counts: it has begun to read the head of the queue, and no reset has removed that head
// meanwhile.
`include "cf_assert.svh"

module cf_nic_rx_progress (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,   // a soft reset
  input  logic read_i,    // the core reads the head of the queue
  input  logic begins_i,  // with read_i: it has begun anew, whatever it has left unanswered
  input  logic answer_i,
  output logic begun_o,   // it has read, and not answered
  output logic stale_o    // what it answers next was removed
);

  logic begun_q, stale_q;

  assign begun_o = begun_q;
  assign stale_o = stale_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      stale_q <= 1'b0;
    end else if (clear_i) begin
      // With an answer in this cycle, the core has nothing left to answer.
      stale_q <= (stale_q || begun_q) && !answer_i;
      begun_q <= 1'b0;
    end else if (answer_i) begin
      stale_q <= 1'b0;
      begun_q <= 1'b0;
    end else if (read_i) begin
      stale_q <= stale_q && !begins_i;
      begun_q <= 1'b1;
    end
  end

  `CF_ASSERT_SETUP
  `CF_NEXT(B21_an_answer_ends_a_service, answer_i, !stale_q && !begun_q)
  `CF_COVER(B21_answer_with_a_reset, answer_i && clear_i && begun_q)

endmodule
