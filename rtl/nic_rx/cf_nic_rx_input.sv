// SPDX-License-Identifier: Apache-2.0
// Takes packets from the torus, a word a cycle, and computes their CRC. A packet begins only where accept_i allows it;
// then its words are never held up.
//   in_null_i    with in_last_i, on a packet's first beat: the packet has no word at all; the beat carries none
//   push_o       this word (in_data_i) is payload, and goes to the packet buffer
//   frame_*_o    the packet that has ended: valid in the one cycle after its last word
`include "cf_assert.svh"

module cf_nic_rx_input (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         accept_i,      // a packet may begin
  input  logic         discard_i,     // what comes is the rest of a packet that a reset has cut
  output logic         begin_o,       // a packet begins in this cycle
  // words
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  logic [127:0] in_data_i,
  input  logic         in_last_i,
  input  logic         in_null_i,
  // packet buffer
  output logic         push_o,
  // check
  output logic         frame_valid_o,
  output logic [127:0] frame_header_o,   // the first word; 0 if there is none
  output logic [8:0]   frame_words_o,    // 259 stands for all larger numbers
  output logic         frame_crc_ok_o,
  output logic [127:0] frame_payload_o   // the second word
);

  localparam logic [8:0] TooMany = 9'd259;

  logic         inside_q, valid_q, crc_ok_q, take, first;
  logic [127:0] header_q, payload_q;
  logic [8:0]   words_q;
  logic [31:0]  crc;

  assign in_ready_o = inside_q || discard_i || accept_i;
  assign take       = in_valid_i && in_ready_o && !discard_i;
  assign first      = take && !inside_q;
  assign begin_o    = first;
  assign push_o     = take && inside_q && !in_last_i && words_q <= 9'd256;

  cf_nic_rx_crc u_crc (.clk_i, .rst_ni, .step_i(take), .first_i(!inside_q), .word_i(in_data_i), .crc_o(crc));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      valid_q  <= 1'b0;
      words_q  <= '0;
      crc_ok_q <= 1'b0;
    end else begin
      valid_q <= take && in_last_i;
      if (take) begin
        inside_q <= !in_last_i;
        crc_ok_q <= inside_q && ~crc == in_data_i[31:0];
        if (first) begin
          words_q <= {8'd0, !in_null_i};
        end else if (words_q != TooMany) begin
          words_q <= words_q + 9'd1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (first) begin
      header_q <= in_data_i & {128{!in_null_i}};
    end
    if (take && words_q == 9'd1) begin
      payload_q <= in_data_i;
    end
  end

  assign frame_valid_o   = valid_q;
  assign frame_header_o  = header_q;
  assign frame_words_o   = words_q;
  assign frame_crc_ok_o  = crc_ok_q;
  assign frame_payload_o = payload_q;

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B2_null_is_a_packet, !(in_valid_i && in_null_i) || (in_last_i && !inside_q))
  `CF_STABLE(B1_header_latched_once, inside_q && !(take && in_last_i), header_q)
  `CF_NEXT(B21_no_word_held_up, inside_q && !(take && in_last_i), in_ready_o)
  `CF_COVER(B2_too_many_words, valid_q && words_q == TooMany)
  `CF_COVER(B2_no_word, valid_q && words_q == '0)
  `CF_COVER(B2_back_to_back, valid_q && first)

endmodule
