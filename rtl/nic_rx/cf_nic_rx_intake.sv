// SPDX-License-Identifier: Apache-2.0
// From words to checked packets: input, CRC, checks, the packet buffer, and the payload of get requests. A packet
// begins only where there is room for the longest one, so nothing behind it can be full.
`include "cf_assert.svh"

module cf_nic_rx_intake #(
  parameter int unsigned BufferWords = 1024,
  parameter int unsigned Packets = 16,       // in the datapath
  localparam int unsigned CountWidth = $clog2(Packets + 1),
  localparam int unsigned WordWidth = $clog2(BufferWords)
) (
  input  logic                   clk_i,         // of words that enter
  input  logic                   clk_read_i,    // the same clock, of words that leave the packet buffer
  input  logic                   clk_rest_i,    // the same, of packets' beginnings and ends
  input  logic                   rst_ni,
  input  logic [14:0]            node_i,
  input  logic                   accept_i,      // packets may begin
  input  logic                   discard_i,
  output logic                   begin_o,       // a packet begins
  output logic                   empty_o,       // no packet is in the datapath
  output logic                   quiet_o,       // without an input, no register changes with the next edge
  // words
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  logic [127:0]           in_data_i,
  input  logic                   in_last_i,
  input  logic                   in_null_i,
  // checked packets
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output cf_nic_rx_pkg::packet_t out_packet_o,
  input  logic                   retire_i,      // a packet leaves the datapath
  // payload of puts
  output logic [127:0]           data_o,
  input  logic                   check_i,
  output logic                   bad_o,         // with check_i: the word that is shown is not as it came
  output logic [WordWidth-1:0]   word_o,        // the place of data_o in the packet buffer
  input  logic                   pop_i,
  input  logic                   skip_i,
  input  logic [8:0]             skip_words_i,
  // payload of get requests, in order
  output logic [127:0]           message_o,
  input  logic                   message_pop_i
);

  if (Packets < 2 || Packets > 256 || Packets != 2 ** $clog2(Packets)) begin : gen_check_packets
    $fatal(1, "Packets is %0d, not a power of two from 2 to 256", Packets);
  end

  logic                  push, room, frame_valid, frame_crc_ok, message;
  logic                  message_ready, message_valid;
  logic [127:0]          frame_header, frame_payload;
  logic [8:0]            frame_words;
  logic [15:0]           number_q;
  logic [CountWidth-1:0] inside_q;

  cf_nic_rx_input u_input (
    .clk_i, .rst_ni, .accept_i(accept_i && room && inside_q != CountWidth'(Packets)), .discard_i, .begin_o,
    .in_valid_i, .in_ready_o, .in_data_i, .in_last_i, .in_null_i, .push_o(push), .frame_valid_o(frame_valid),
    .frame_header_o(frame_header), .frame_words_o(frame_words), .frame_crc_ok_o(frame_crc_ok),
    .frame_payload_o(frame_payload)
  );

  cf_nic_rx_check u_check (
    .clk_i, .rst_ni, .node_i, .valid_i(frame_valid), .header_i(frame_header), .words_i(frame_words),
    .crc_ok_i(frame_crc_ok), .number_i(number_q), .packet_o(out_packet_o), .message_o(message)
  );

  cf_nic_rx_buffer #(.Words(BufferWords)) u_buffer (
    .clk_i, .clk_read_i, .rst_ni, .room_o(room), .push_i(push), .push_data_i(in_data_i),
    .commit_i(frame_valid && out_packet_o.put), .rewind_i(frame_valid && !out_packet_o.put), .data_o, .check_i, .bad_o,
    .word_o, .pop_i, .skip_i, .skip_words_i
  );

  cf_fifo #(.Width(128), .Depth(Packets)) u_messages (
    .clk_i(clk_rest_i), .rst_ni, .in_valid_i(frame_valid && message), .in_ready_o(message_ready), .in_data_i(frame_payload),
    .out_valid_o(message_valid), .out_ready_i(message_pop_i), .out_data_o(message_o)
  );

  assign out_valid_o = frame_valid;
  assign empty_o     = inside_q == '0;
  assign quiet_o     = !frame_valid;

  always_ff @(posedge clk_rest_i or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q <= '0;
      inside_q <= '0;
    end else begin
      inside_q <= inside_q + CountWidth'(begin_o) - CountWidth'(retire_i);
      if (frame_valid) begin
        number_q <= number_q + 16'd1;
      end
    end
  end

  logic unused_flags;
  assign unused_flags = ^{message_ready, message_valid, out_ready_i};

  `CF_ASSERT_SETUP
  `CF_WHERE(B21_checked_packet_is_taken, out_valid_o, out_ready_i)
  `CF_WHERE(B21_message_is_kept, frame_valid && message, message_ready)
  `CF_WHERE(B21_message_is_there, message_pop_i, message_valid)
  `CF_NEVER(B22_ends_without_packet, retire_i && inside_q == '0)
  `CF_COVER(B22_all_packets_inside, inside_q == CountWidth'(Packets))

endmodule
