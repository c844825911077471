// SPDX-License-Identifier: Apache-2.0
// From packets with their pages to their ends: writes, tags, completions, and the order of packets.
`include "cf_assert.svh"

module cf_nic_rx_output #(
  parameter int unsigned BufferWords = 1024,
  parameter int unsigned Packets = 16,
  parameter int unsigned PacketsInFlight = 8,
  parameter int unsigned Writes = 32,
  parameter int unsigned Rings = 16,
  localparam int unsigned TagWidth = $clog2(Writes),
  localparam int unsigned SlotWidth = $clog2(Packets),
  localparam int unsigned WordWidth = $clog2(BufferWords),
  localparam int unsigned RingWidth = Rings > 1 ? $clog2(Rings) : 1
) (
  input  logic                   clk_i,            // runs while beat_o
  input  logic                   clk_tags_i,       // the same clock, runs while tags_active_o
  input  logic                   clk_rest_i,       // the same clock, runs while active_o
  input  logic                   clk_settled_i,    // the same clock, runs while settled_active_o
  output logic                   tags_active_o,    // the next edge may change the tags of writes
  output logic                   settled_active_o, // the next edge may change whether a packet has any
  output logic                   active_o,         // it may change more than tags, and more than a beat of a write does
  output logic                   beat_o,           // a beat of a write is taken, or a write begins to be offered
  input  logic                   rst_ni,
  input  logic                   hard_rst_ni,      // without soft resets
  input  logic [2:0]             max_payload_i,
  input  logic                   hold_i,           // begin no write
  output logic                   free_o,           // no write is under way on the channel
  output logic                   home_o,           // all writes are acknowledged
  output logic                   quiet_o,          // without an input, no register changes with the next edge
  output logic                   calm_o,           // the same, but for beats of the write that is shown
  input  logic                   close_i,          // windows move before the next write
  // packets
  input  logic                   in_valid_i,       // is always taken: there is room for all packets
  input  cf_nic_rx_pkg::packet_t in_packet_i,
  input  logic [RingWidth-1:0]   in_ring_i,
  input  logic [2:0]             in_space_i,
  input  cf_nic_rx_pkg::page_t   in_first_i,
  input  cf_nic_rx_pkg::page_t   in_second_i,
  // packet buffer
  input  logic [127:0]           data_i,
  output logic                   check_o,          // the word that is shown will be written
  input  logic                   bad_i,            // with check_o: it is not as it came
  input  logic [WordWidth-1:0]   word_i,           // its place in the packet buffer
  output logic                   pop_o,
  output logic                   skip_o,
  output logic [8:0]             skip_words_o,
  // write channel
  output logic                   dma_valid_o,
  input  logic                   dma_ready_i,
  output cf_nic_rx_pkg::dma_t    dma_o,
  output logic [TagWidth-1:0]    dma_tag_o,
  input  logic                   ack_valid_i,
  input  logic [TagWidth-1:0]    ack_tag_i,
  // rings
  output logic                   rings_busy_o,     // none may be set up
  input  logic                   ring_set_i,
  input  logic [7:0]             ring_set_number_i,
  input  logic [63:0]            ring_set_base_i,
  input  logic [31:0]            ring_set_entries_i,
  input  logic                   consumed_valid_i,
  input  logic [7:0]             consumed_ring_i,
  input  logic [31:0]            consumed_count_i,
  // packets with a bad word, when they have been sent
  output logic                   bad_o,
  output logic [WordWidth-1:0]   bad_word_o,       // the first one
  // ends of packets
  output cf_nic_rx_pkg::packet_t end_packet_o,
  output logic                   message_valid_o,
  input  logic                   message_ready_i,
  output logic                   dropped_o,
  output logic                   accepted_o,
  output logic                   mailed_o,
  output logic                   retire_o,
  output logic [15:0]            retired_o         // packets before it have ended
);

  cf_nic_rx_pkg::packet_t writing, retiring;
  cf_nic_rx_pkg::page_t   first, second;
  cf_nic_rx_pkg::dma_t    data, completion;
  logic [RingWidth-1:0]   writing_ring, retiring_ring;
  logic [2:0]             space;
  logic                   in_room, writing_valid, writing_ready, sent_valid, sent_ready, retiring_valid, retiring_ready;
  logic                   data_valid, data_ready, data_offered, completion_valid, completion_ready;
  logic                   tag_valid, take, settled;
  logic [TagWidth-1:0]    tag;
  logic [SlotWidth-1:0]   slot;
  logic                   ring_room, ring_written, writing_bad, retiring_bad;
  logic                   channel_quiet, tags_quiet, retire_quiet, closes, moves;
  logic [63:0]            ring_address;
  logic [31:0]            ring_sequence;

  // --- write
  cf_fifo #(.Width($bits(in_packet_i) + RingWidth + 3 + 2 * $bits(in_first_i)), .Depth(Packets)) u_translated (
    .clk_i(clk_rest_i), .rst_ni, .in_valid_i, .in_ready_o(in_room),
    .in_data_i({in_second_i, in_first_i, in_space_i, in_ring_i, in_packet_i}), .out_valid_o(writing_valid),
    .out_ready_i(writing_ready), .out_data_o({second, first, space, writing_ring, writing})
  );

  cf_nic_rx_writer #(.Packets(Packets), .PacketsInFlight(PacketsInFlight)) u_writer (
    .clk_i, .clk_rest_i, .rst_ni, .close_i, .closes_o(closes), .moves_o(moves), .max_payload_i,
    .in_valid_i(writing_valid), .in_ready_o(writing_ready), .in_packet_i(writing), .in_space_i(space),
    .in_first_i(first), .in_second_i(second), .out_valid_o(sent_valid), .out_ready_i(sent_ready), .retire_i(retire_o),
    .data_i, .payload_o(check_o), .pop_o, .skip_o, .skip_words_o, .dma_valid_o(data_valid), .dma_ready_i(data_ready),
    .dma_offered_i(data_offered), .dma_o(data)
  );

  cf_nic_rx_channel #(.TagWidth(TagWidth)) u_channel (
    .clk_i, .rst_ni, .hold_i, .free_o, .quiet_o(channel_quiet), .first_valid_i(completion_valid),
    .first_ready_o(completion_ready), .first_i(completion), .second_valid_i(data_valid), .second_ready_o(data_ready),
    .second_offered_o(data_offered), .second_i(data), .tag_valid_i(tag_valid), .tag_i(tag), .take_o(take), .dma_valid_o,
    .dma_ready_i, .dma_o, .dma_tag_o
  );

  // A completion counts for no packet.
  cf_nic_rx_tags #(.Writes(Writes), .Packets(Packets)) u_tags (
    .clk_i(clk_tags_i), .clk_settled_i, .rst_ni(hard_rst_ni), .quiet_o(tags_quiet), .tag_valid_o(tag_valid),
    .tag_o(tag), .take_i(take), .take_counts_i(data_ready), .take_slot_i(writing.number[SlotWidth-1:0]), .ack_valid_i,
    .ack_tag_i, .slot_i(slot), .settled_o(settled), .settles_o(settled_active_o), .home_o
  );

  // --- retire
  cf_fifo #(.Width($bits(writing) + RingWidth + 1), .Depth(Packets)) u_sent (
    .clk_i(clk_rest_i), .rst_ni, .in_valid_i(sent_valid), .in_ready_o(sent_ready),
    .in_data_i({writing_bad, writing_ring, writing}), .out_valid_o(retiring_valid), .out_ready_i(retiring_ready),
    .out_data_o({retiring_bad, retiring_ring, retiring})
  );

  cf_nic_rx_retire #(.Packets(Packets)) u_retire (
    .clk_i(clk_rest_i), .rst_ni, .in_valid_i(retiring_valid), .in_ready_o(retiring_ready), .in_packet_i(retiring),
    .slot_o(slot), .settled_i(settled), .bad_i(retiring_bad), .end_packet_o, .ring_room_i(ring_room),
    .ring_address_i(ring_address), .ring_sequence_i(ring_sequence), .ring_written_o(ring_written),
    .completing_o(rings_busy_o), .dma_valid_o(completion_valid), .dma_ready_i(completion_ready), .dma_o(completion),
    .message_valid_o, .message_ready_i, .dropped_o, .accepted_o, .mailed_o, .retire_o, .quiet_o(retire_quiet),
    .next_number_o(retired_o)
  );

  cf_nic_rx_rings #(.Rings(Rings)) u_rings (
    .clk_i(clk_rest_i), .rst_ni, .set_i(ring_set_i), .set_ring_i(ring_set_number_i), .set_base_i(ring_set_base_i),
    .set_entries_i(ring_set_entries_i), .consumed_valid_i, .consumed_ring_i, .consumed_count_i, .ring_i(8'(retiring_ring)),
    .room_o(ring_room), .address_o(ring_address), .sequence_o(ring_sequence), .written_i(ring_written)
  );

  cf_nic_rx_bad_words #(.BufferWords(BufferWords)) u_bad_words (
    .clk_i(clk_rest_i), .rst_ni, .bad_i, .pop_i(pop_o), .word_i, .sent_i(sent_valid && sent_ready), .bad_o(writing_bad),
    .report_o(bad_o), .report_word_o(bad_word_o)
  );

  // A put waits for the channel; others pass the writer.
  logic writer_quiet;

  assign writer_quiet = !(writing_valid && !(writing.put && !writing.dropped));
  assign quiet_o      = channel_quiet && tags_quiet && retire_quiet && writer_quiet && !bad_o;
  assign calm_o       = (dma_valid_o || tags_quiet) && retire_quiet && writer_quiet && !bad_o;

  assign beat_o   = !channel_quiet || (dma_valid_o && dma_ready_i);
  // Signals that no beat changes have a statement of their own: a simulator evaluates it only when they change.
  logic busy;

  always_comb begin
    busy = 1'b0;
    if (in_valid_i || !retire_quiet || completion_valid || ring_set_i || consumed_valid_i || close_i || closes ||
        bad_o) begin
      busy = 1'b1;
    end
  end

  assign tags_active_o = take || ack_valid_i || !tags_quiet;
  assign active_o      = busy || writing_ready || sent_valid || moves || bad_i;

  logic unused_room;
  assign unused_room = in_room;

  `CF_ASSERT_SETUP
  `CF_WHERE(B21_translated_packet_is_kept, in_valid_i, in_room)

endmodule
