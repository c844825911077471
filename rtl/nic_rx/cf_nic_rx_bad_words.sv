// SPDX-License-Identifier: Apache-2.0
// Whether the packet that is written has a bad word: one that the packet buffer gave with a wrong parity. The writer does
// not wait for that: the packet's writes all go out, and it ends as a drop instead of a completion. bad_o goes with the
// packet when it has been sent; neither writer nor channel waits for parity.
`include "cf_assert.svh"

module cf_nic_rx_bad_words #(
  parameter int unsigned BufferWords = 1024,
  localparam int unsigned WordWidth = $clog2(BufferWords)
) (
  input  logic                 clk_i,         // may stand without bad_i, sent_i and report_o
  input  logic                 rst_ni,
  // the word that is shown
  input  logic                 bad_i,         // it belongs to the packet, and is bad
  input  logic                 pop_i,         // it is taken
  input  logic [WordWidth-1:0] word_i,        // its place in the packet buffer
  // the packet
  input  logic                 sent_i,        // it has been sent, with this word if it belongs to it
  output logic                 bad_o,         // it has a bad word, this one or one before
  // report, in the cycle after sent_i
  output logic                 report_o,      // a packet with a bad word has been sent
  output logic [WordWidth-1:0] report_word_o  // the first one
);

  logic                 inside_q, report_q;
  logic [WordWidth-1:0] word_q;

  assign bad_o         = bad_i || inside_q;
  assign report_o      = report_q;
  assign report_word_o = word_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      report_q <= 1'b0;
    end else begin
      report_q <= bad_o && sent_i;
      if (sent_i) begin
        inside_q <= 1'b0;
      end else if (pop_i) begin
        inside_q <= bad_o;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (bad_i && pop_i && !inside_q) begin
      word_q <= word_i;
    end
  end

  `CF_ASSERT_SETUP
  `CF_NEXT(B23_bad_packet_is_reported, bad_o && sent_i, report_o)
  `CF_NEXT(B23_bad_word_is_kept, bad_i && pop_i && !sent_i, inside_q)
  `CF_COVER(B23_several_words, bad_i && pop_i && inside_q)
  `CF_COVER(B23_last_word, bad_i && sent_i && !inside_q)

endmodule
