// SPDX-License-Identifier: Apache-2.0
// From words to checked packets, with any words. In a cycle with quiet_o in which no word comes and nothing is taken,
// `still`, no register changes. Each packet that begins is checked once, in the cycle after its last word, with the next
// number. quiet_o stays while words of a packet come, until the last.
module intake_proof #(
  parameter int unsigned BufferWords = 512,
  parameter int unsigned Packets = 2
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [14:0]  node_i,
  input logic         accept_i,
  input logic         discard_i,
  input logic         in_valid_i,
  input logic [127:0] in_data_i,
  input logic         in_last_i,
  input logic         in_null_i,
  input logic         retire_i,
  input logic         pop_i,
  input logic         skip_i,
  input logic [8:0]   skip_words_i,
  input logic         message_pop_i
);

  cf_nic_rx_pkg::packet_t checked;
  logic                   quiet, still, still_q, calm_q, begins, ready, checked_valid, take, open_q, last_q;
  logic [15:0]            checked_q;  // packets so far

  cf_nic_rx_intake #(.BufferWords(BufferWords), .Packets(Packets)) u_dut (
    .clk_i, .clk_read_i(clk_i), .clk_rest_i(clk_i), .rst_ni, .node_i, .accept_i, .discard_i, .begin_o(begins), .empty_o(),
    .quiet_o(quiet), .in_valid_i, .in_ready_o(ready), .in_data_i, .in_last_i, .in_null_i, .out_valid_o(checked_valid),
    .out_ready_i(1'b1), .out_packet_o(checked), .retire_i, .data_o(), .check_i(pop_i), .bad_o(), .word_o(), .pop_i, .skip_i,
    .skip_words_i, .message_o(), .message_pop_i
  );

  assign still = quiet && !in_valid_i && !retire_i && !pop_i && !skip_i && !message_pop_i;
  assign take  = in_valid_i && ready && !discard_i;

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      still_q   <= 1'b0;
      calm_q    <= 1'b0;
      open_q    <= 1'b0;
      last_q    <= 1'b0;
      checked_q <= '0;
    end else begin
      still_q   <= still;
      calm_q    <= quiet && !(take && in_last_i);
      last_q    <= take && in_last_i;
      checked_q <= checked_q + {15'd0, checked_valid};
      if (take) begin
        open_q <= !in_last_i;
      end
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B21_intake_stays_quiet: assert (!still_q || quiet);
      B21_intake_stays_calm: assert (!calm_q || quiet);
      B22_intake_begins_once: assert (begins == (take && !open_q));
      B22_intake_checks_once: assert (checked_valid == last_q);
      B22_intake_numbers: assert (!checked_valid || checked.number == checked_q);
      C_still: cover (still && still_q);
    end
  end

endmodule
