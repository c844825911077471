// SPDX-License-Identifier: Apache-2.0
// From words to the packet buffer, with any words, and a reader that takes no more than there is: no word is pushed where there is
// no room, and a packet is kept or forgotten after its last word. A packet begins where there is room for the longest one,
// and no longer one is pushed. An induction, from any state that the assertions allow. Names with u_dut are registers of the
// modules (hierconn).
module room_proof #(
  parameter int unsigned Words = 512
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
  input logic [8:0]   skip_words_i
);

  localparam int unsigned Width = $clog2(Words) + 1;
  localparam logic [Width-1:0] Longest = Width'(256);

  (* hierconn *) wire             \u_dut.u_input.inside_q ;
  (* hierconn *) wire             \u_dut.u_input.valid_q ;
  (* hierconn *) wire [8:0]       \u_dut.u_input.words_q ;
  (* hierconn *) wire [Width-1:0] \u_dut.u_buffer.used_q ;
  (* hierconn *) wire [Width-1:0] \u_dut.u_buffer.pushed_q ;

  logic             coming, ends;
  logic [8:0]       words;
  logic [Width-1:0] used, pushed;

  assign coming = \u_dut.u_input.inside_q ;
  assign ends   = \u_dut.u_input.valid_q ;
  assign words  = \u_dut.u_input.words_q ;
  assign used   = \u_dut.u_buffer.used_q ;
  assign pushed = \u_dut.u_buffer.pushed_q ;

  cf_nic_rx_intake #(.BufferWords(Words), .Packets(2)) u_dut (
    .clk_i, .clk_read_i(clk_i), .clk_rest_i(clk_i), .rst_ni, .node_i, .accept_i, .discard_i, .begin_o(), .empty_o(),
    .quiet_o(), .in_valid_i, .in_ready_o(), .in_data_i, .in_last_i, .in_null_i, .out_valid_o(), .out_ready_i(1'b1),
    .out_packet_o(), .retire_i, .data_o(), .check_i(1'b0), .bad_o(), .word_o(), .pop_i, .skip_i, .skip_words_i,
    .message_o(), .message_pop_i(1'b0)
  );

  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B21_pushed_while_it_comes: assert (coming || ends || pushed == '0);
      B21_pushed_are_its_words: assert (words <= 9'd259 && (!coming || (words != '0 && pushed == (words > 9'd257 ? Longest : Width'(words) - 1'b1))));
      B21_pushed_no_more_than_the_longest: assert (!(coming && ends) && pushed <= Longest);
      B21_room_for_all_of_it: assert (used <= Width'(Words) && (!(coming || ends) || used <= Width'(Words) - Longest));
      C_second_packet: cover (ends && pushed == Width'(2) && used != '0);
    end
  end

endmodule
