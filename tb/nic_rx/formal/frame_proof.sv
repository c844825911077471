// SPDX-License-Identifier: Apache-2.0
// What the input tells of a packet's words: how many they are, the first one and the second one, which of them are payload, and when it
// has ended. The name with u_dut is a register of the module (hierconn): without it, an induction does not see that both are
// within the same packet.
module frame_proof (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         accept_i,
  input logic         discard_i,
  input logic         in_valid_i,
  input logic [127:0] in_data_i,
  input logic         in_last_i,
  input logic         in_null_i
);

  localparam logic [8:0] Most = 9'd259;  // stands for all larger numbers, too

  (* hierconn *) wire \u_dut.inside_q ;

  logic         begins, ready, push, frame_valid, take, inside_q, ended_q, known_q;
  logic [8:0]   words, words_q;
  logic [127:0] header, payload, header_q, payload_q;

  cf_nic_rx_input u_dut (
    .clk_i, .rst_ni, .accept_i, .discard_i, .begin_o(begins), .in_valid_i, .in_ready_o(ready), .in_data_i, .in_last_i,
    .in_null_i, .push_o(push), .frame_valid_o(frame_valid), .frame_header_o(header), .frame_words_o(words), .frame_crc_ok_o(),
    .frame_payload_o(payload)
  );

  assign take = in_valid_i && !discard_i && (inside_q || accept_i);

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q  <= 1'b0;
      ended_q   <= 1'b0;
      known_q   <= 1'b0;
      words_q   <= '0;
      header_q  <= '0;
      payload_q <= '0;
    end else begin
      ended_q <= take && in_last_i;
      if (take) begin
        inside_q <= !in_last_i;
        known_q  <= 1'b1;
        words_q  <= !inside_q ? (in_null_i ? 9'd0 : 9'd1) : words_q < Most ? words_q + 9'd1 : Most;
        if (!inside_q) begin
          header_q <= in_null_i ? '0 : in_data_i;
        end else if (words_q == 9'd1) begin
          payload_q <= in_data_i;
        end
      end
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!(in_valid_i && in_null_i) || (in_last_i && !inside_q));
      B2_within_a_packet: assert (inside_q == \u_dut.inside_q && words_q <= Most && (known_q || !inside_q));
      B21_takes_what_it_may: assert (ready == (inside_q || discard_i || accept_i));
      B2_begins_with_a_first_word: assert (begins == (take && !inside_q));
      B2_payload_is_stored: assert (push == (take && inside_q && !in_last_i && words_q < 9'd257));
      B2_ends_with_the_last_word: assert (frame_valid == ended_q);
      B2_number_of_words: assert (words == words_q);
      B1_first_word_is_the_header: assert (!known_q || header == header_q);
      B1_second_word: assert (!known_q || words_q < 9'd2 || payload == payload_q);
      C_no_word: cover (frame_valid && words == '0);
      C_three_words: cover (frame_valid && words == 9'd3);
    end
  end

endmodule
