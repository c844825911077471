// SPDX-License-Identifier: Apache-2.0
// Assertions about the block, seen from its ports and from the ends of its packets: conservation, bytes, order,
// completions. It counts by itself, and compares. It is not synthesised. Timing: all inputs belong to this cycle.
`include "cf_assert.svh"

module cf_nic_rx_checks #(
  parameter int unsigned Packets = 16,
  parameter int unsigned PacketsInFlight = 8,
  parameter int unsigned Writes = 32,
  localparam int unsigned TagWidth = $clog2(Writes),
  localparam int unsigned SlotWidth = $clog2(Packets),
  localparam int unsigned CountWidth = $clog2(Writes + 1)
) (
  input logic                   clk_i,
  input logic                   rst_ni,            // soft resets, too
  input logic                   idle_i,
  // packets
  input logic                   begins_i,
  input logic                   accepted_i,
  input logic                   mailed_i,
  input logic                   dropped_i,
  input cf_nic_rx_pkg::packet_t ended_i,           // the packet that ends
  input cf_nic_rx_pkg::counters_t counters_i,
  // writes
  input logic                   dma_valid_i,
  input logic                   dma_taken_i,
  input cf_nic_rx_pkg::dma_t    dma_i,
  input logic [TagWidth-1:0]    dma_tag_i,
  input logic                   bad_i,             // a bad word of payload goes into the write that is taken
  input logic                   ack_valid_i,
  input logic [TagWidth-1:0]    ack_tag_i,
  // removal of translations
  input logic                   invalidate_i,
  input logic                   fence_done_i,
  input logic                   invalidate_all_i,
  input logic [15:0]            searched_i         // packets before it may use what is removed now
);

  logic [31:0]           begun_q, ended_q, counted;
  logic [13*Packets-1:0] bytes_q;                   // of payload written, by slot
  logic [CountWidth*Packets-1:0] open_q;            // writes not acknowledged, by slot
  logic [Writes-1:0]     out_q, counts_q, whole_q;  // by tag: sent; data or a window; to its last beat
  logic [Packets-1:0]    bad_q;                     // a bad word was read, by slot
  logic [SlotWidth-1:0]  slot_of_q [0:Writes-1];
  logic [4:0]            beat_bytes;
  logic                  ends, starts, data, burst_q, wrote_q, waiting_q, offered_q, to_gpu;
  logic [3:0]            window_q;                  // by GPU: its window has moved since all translations were removed
  logic [47:0]           shown_q [0:3];             // the page that it shows
  logic [Packets-1:0]    started_q;                 // by slot: data or a window was written
  logic [SlotWidth:0]    in_flight_q;               // packets that have, and have not ended
  logic [TagWidth-1:0]   newest_q;                  // the tag of the latest write
  logic [15:0]           fence_q, left;
  logic [1:0]            gpu;
  logic [15:0]           last_data_q, ahead;
  logic [SlotWidth-1:0]  slot, end_slot;
  logic [12:0]           end_bytes, bytes_now;
  logic [CountWidth-1:0] end_open, open_now, open_acked;

  assign to_gpu     = data && dma_i.space != '0;
  assign gpu        = 2'(dma_i.space - 3'd1);
  assign ends       = accepted_i || mailed_i || dropped_i;
  assign slot       = dma_i.number[SlotWidth-1:0];
  assign end_slot   = ended_i.number[SlotWidth-1:0];
  assign data       = dma_i.kind != cf_nic_rx_pkg::DmaCompletion;
  assign starts     = dma_taken_i && !burst_q;
  assign end_bytes  = bytes_q[13*end_slot+:13];
  assign bytes_now  = bytes_q[13*slot+:13];
  assign end_open   = open_q[CountWidth*end_slot+:CountWidth];
  assign open_now   = open_q[CountWidth*slot+:CountWidth];
  assign open_acked = open_q[CountWidth*slot_of_q[ack_tag_i]+:CountWidth];
  assign ahead      = dma_i.number - last_data_q;
  assign left       = fence_q - ended_q[15:0];

  always_comb begin
    beat_bytes = '0;
    for (int unsigned i = 0; i < 16; i++) begin
      beat_bytes = beat_bytes + 5'(dma_i.strobe[i]);
    end
    counted = counters_i[31:0] + counters_i[63:32];
    for (int unsigned r = 0; r < cf_nic_rx_pkg::Reasons; r++) begin
      counted = counted + counters_i[32*(4+r)+:32];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q     <= '0;
      ended_q     <= '0;
      bytes_q     <= '0;
      bad_q       <= '0;
      window_q    <= '0;
      out_q       <= '0;
      counts_q    <= '0;
      burst_q     <= 1'b0;
      wrote_q     <= 1'b0;
      last_data_q <= '0;
      waiting_q   <= 1'b0;
      offered_q   <= 1'b0;
      open_q      <= '0;
      whole_q     <= '0;
      started_q   <= '0;
      in_flight_q <= '0;
      fence_q     <= '0;
    end else begin
      begun_q <= begun_q + {31'd0, begins_i};
      ended_q <= ended_q + {31'd0, ends};
      if (ends) begin
        bytes_q[13*end_slot+:13] <= '0;
        bad_q[end_slot]          <= 1'b0;
        started_q[end_slot]      <= 1'b0;
      end
      if (bad_i) begin
        bad_q[slot] <= 1'b1;
      end
      if (dma_taken_i) begin
        burst_q            <= !dma_i.last;
        whole_q[dma_tag_i] <= dma_i.last;
        if (data) begin
          started_q[slot]      <= 1'b1;
          bytes_q[13*slot+:13] <= bytes_now + 13'(beat_bytes);
          last_data_q          <= dma_i.number;
          wrote_q              <= 1'b1;
        end
      end
      if (ack_valid_i && out_q[ack_tag_i]) begin
        out_q[ack_tag_i] <= 1'b0;
        if (counts_q[ack_tag_i]) begin
          open_q[CountWidth*slot_of_q[ack_tag_i]+:CountWidth] <= open_acked - CountWidth'(1);
        end
      end
      if (starts) begin
        newest_q             <= dma_tag_i;
        out_q[dma_tag_i]     <= 1'b1;
        counts_q[dma_tag_i]  <= data;
        slot_of_q[dma_tag_i] <= slot;
        if (data && !(ack_valid_i && counts_q[ack_tag_i] && out_q[ack_tag_i] && slot_of_q[ack_tag_i] == slot)) begin
          open_q[CountWidth*slot+:CountWidth] <= open_now + CountWidth'(1);
        end else if (data) begin
          open_q[CountWidth*slot+:CountWidth] <= open_now;  // one more and one fewer
        end
      end
      offered_q <= dma_valid_i && !(dma_taken_i && dma_i.last);
      in_flight_q <= in_flight_q + (SlotWidth + 1)'(dma_taken_i && data && !started_q[slot]) -
                     (SlotWidth + 1)'(ends && started_q[end_slot]);
      if (invalidate_all_i) begin
        window_q <= '0;
      end
      if (dma_taken_i && dma_i.kind == cf_nic_rx_pkg::DmaWindow) begin
        window_q[gpu] <= 1'b1;
        shown_q[gpu]  <= dma_i.address[63:16];
      end
      if (invalidate_i) begin
        waiting_q <= 1'b1;
        fence_q   <= searched_i;
      end else if (fence_done_i) begin
        waiting_q <= 1'b0;
      end
    end
  end

  logic unused_fields;
  assign unused_fields = ^{dma_i, ended_i, ahead};

  `CF_ASSERT_SETUP

  // Packets.
  `CF_NEVER(B22_ended_before_it_began, ends && ended_q == begun_q)
  `CF_WHERE(B22_nothing_left_at_idle, idle_i, begun_q == ended_q)
  `CF_ASSERT(B22_inside_is_bounded, begun_q - ended_q <= 32'(Packets))
  `CF_ASSERT(B20_every_end_is_counted_once, counted == ended_q)
  `CF_WHERE(B19_ends_in_order, ends, ended_i.number == ended_q[15:0])
  `CF_NEVER(B20_two_ends, (accepted_i && mailed_i) || (accepted_i && dropped_i) || (mailed_i && dropped_i))

  // Bytes.
  `CF_WHERE(B14_all_bytes_written, accepted_i, end_bytes == ended_i.length)
  `CF_WHERE(B3_dropped_wrote_nothing, dropped_i && !bad_q[end_slot], end_bytes == '0)
  `CF_NEVER(B23_bad_word_is_accepted, bad_q[end_slot] && accepted_i)
  `CF_WHERE(B23_bad_word_has_its_reason, bad_q[end_slot] && ends,
            dropped_i && ended_i.reason == cf_nic_rx_pkg::ReasonMemory && end_bytes == ended_i.length)
  `CF_WHERE(B23_read_for_a_write, bad_i, dma_taken_i && dma_i.kind == cf_nic_rx_pkg::DmaData)
  `CF_WHERE(B14_message_wrote_nothing, mailed_i, end_bytes == '0)
  `CF_WHERE(B19_writes_in_order, dma_taken_i && data && wrote_q, !ahead[15])
  `CF_WHERE(B13_completion_is_aligned, dma_taken_i && !data, dma_i.address[4:0] == '0 && dma_i.strobe == '1)
  `CF_WHERE(B15_written_through_an_open_window, dma_valid_i && !offered_q && to_gpu && dma_i.kind == cf_nic_rx_pkg::DmaData,
            window_q[gpu])
  `CF_WHERE(B15_written_to_the_page_of_the_window, dma_valid_i && !offered_q && to_gpu && dma_i.kind == cf_nic_rx_pkg::DmaData &&
            window_q[gpu], dma_i.address[63:16] == shown_q[gpu])
  `CF_NEVER(B15_window_of_the_host, dma_taken_i && dma_i.kind == cf_nic_rx_pkg::DmaWindow && dma_i.space == '0)

  // Tags and completions.
  `CF_NEVER(B16_tag_used_twice, starts && out_q[dma_tag_i])
  `CF_WHERE(B16_credits_home_at_idle, idle_i, out_q == '0)
  `CF_WHERE(B16_acknowledged_after_its_last_beat, ack_valid_i && out_q[ack_tag_i], whole_q[ack_tag_i])
  `CF_ASSERT(B16_in_flight_is_bounded, 32'(in_flight_q) <= PacketsInFlight)
  `CF_WHERE(B17_after_the_last_acknowledgement, accepted_i, end_open == '0)
  `CF_WHERE(B17_one_completion, dma_taken_i && !data && dma_i.last, accepted_i && ended_i.notify)
  `CF_WHERE(B17_completion_if_asked, accepted_i && ended_i.notify, dma_taken_i && !data && dma_i.last)
  `CF_WHERE(B8_fence_of_an_invalidation, fence_done_i, waiting_q)
  `CF_WHERE(B8_packets_before_it_have_ended, fence_done_i, left == '0 || left[15])

  `CF_COVER(C_all_tags_out, out_q == '1)
  `CF_COVER(C_full_of_packets, begun_q - ended_q == 32'(Packets))
  `CF_COVER(C_invalidate_with_packets_inside, invalidate_i && begun_q != ended_q)
  `CF_COVER(C_drops_while_one_begins, dropped_i && begins_i)
  `CF_COVER(B16_out_of_order, ack_valid_i && ack_tag_i == newest_q && (out_q & ~(Writes'(1) << newest_q)) != '0)

endmodule
