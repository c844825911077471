// SPDX-License-Identifier: Apache-2.0
// The input with packets of any words, one cut by a reset among them: a packet's CRC is good if its last word holds the
// complement of the CRC of all words before, the header among them. Another function stands for the CRC.
module input_proof (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         accept_i,
  input logic         discard_i,
  input logic         in_valid_i,
  input logic [127:0] in_data_i,
  input logic         in_last_i,
  input logic         in_null_i
);

  logic        ready, frame_valid, crc_ok, take, inside_q, good_q, ended_q;
  logic [31:0] sum_q, sum;

  cf_nic_rx_input u_dut (
    .clk_i, .rst_ni, .accept_i, .discard_i, .begin_o(), .in_valid_i, .in_ready_o(ready), .in_data_i, .in_last_i,
    .in_null_i, .push_o(), .frame_valid_o(frame_valid), .frame_header_o(), .frame_words_o(), .frame_crc_ok_o(crc_ok),
    .frame_payload_o()
  );

  assign take = in_valid_i && ready && !discard_i;
  assign sum  = inside_q ? sum_q : 32'hFFFF_FFFF;

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      ended_q  <= 1'b0;
      good_q   <= 1'b0;
      sum_q    <= '0;
    end else begin
      ended_q <= take && in_last_i;
      if (take) begin
        inside_q <= !in_last_i;
        good_q   <= inside_q && in_data_i[31:0] == ~sum;
        sum_q    <= {sum[30:0], sum[31]} ^ in_data_i[31:0] ^ in_data_i[63:32] ^ in_data_i[95:64] ^ in_data_i[127:96];
      end
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B3_packet_ends_with_its_last_word: assert (frame_valid == ended_q);
      B3_good_if_the_last_word_says_so: assert (!frame_valid || crc_ok == good_q);
      C_good: cover (frame_valid && crc_ok);
      C_bad: cover (frame_valid && !crc_ok);
    end
  end

endmodule
