// SPDX-License-Identifier: Apache-2.0
// From words to checked packets, with any words. In a cycle with quiet_o in which no word comes and nothing is taken,
// `still`, no register changes.
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

  logic quiet, still, still_q;

  cf_nic_rx_intake #(.BufferWords(BufferWords), .Packets(Packets)) u_dut (
    .clk_i, .clk_read_i(clk_i), .clk_rest_i(clk_i), .rst_ni, .node_i, .accept_i, .discard_i, .begin_o(), .empty_o(), .quiet_o(quiet), .in_valid_i,
    .in_ready_o(), .in_data_i, .in_last_i, .in_null_i, .out_valid_o(), .out_ready_i(1'b1), .out_packet_o(), .retire_i,
    .data_o(), .pop_i, .skip_i, .skip_words_i, .message_o(), .message_pop_i
  );

  assign still = quiet && !in_valid_i && !retire_i && !pop_i && !skip_i && !message_pop_i;

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      still_q <= 1'b0;
    end else begin
      still_q <= still;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B21_intake_stays_quiet: assert (!still_q || quiet);
      C_still: cover (still && still_q);
    end
  end

endmodule
