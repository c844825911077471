// SPDX-License-Identifier: Apache-2.0
// Ends packets in their order, one a cycle: a drop is told at once; a get request goes to the mailbox when it has
// room; a put waits until all its writes are acknowledged, and then writes its completion, if it asks for one and its
// ring has room: two beats of the write channel, which stay once they are offered, whatever the host says then. A put
// with a bad word is dropped then instead.
`include "cf_assert.svh"

module cf_nic_rx_retire #(
  parameter int unsigned Packets = 16,
  localparam int unsigned SlotWidth = $clog2(Packets)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // packets that were sent, or passed
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  cf_nic_rx_pkg::packet_t in_packet_i,
  // writes
  output logic [SlotWidth-1:0]   slot_o,
  input  logic                   settled_i,        // its writes are acknowledged
  input  logic                   bad_i,            // it is a put with a bad word
  // completions
  input  logic                   ring_room_i,
  input  logic [63:0]            ring_address_i,
  input  logic [31:0]            ring_sequence_i,
  output logic                   ring_written_o,
  output logic                   completing_o,     // a completion is offered; its ring must not be set up
  output logic                   dma_valid_o,
  input  logic                   dma_ready_i,
  output cf_nic_rx_pkg::dma_t    dma_o,
  // get requests
  output logic                   message_valid_o,
  input  logic                   message_ready_i,
  // ends
  output logic                   dropped_o,
  output logic                   accepted_o,
  output logic                   mailed_o,
  output logic                   retire_o,         // any of them
  output logic                   quiet_o,          // nothing changes until a completion is taken
  output cf_nic_rx_pkg::packet_t end_packet_o,     // the packet that ends
  output logic [15:0]            next_number_o     // packets before it have ended
);

  logic         put, spoilt, message, complete, offered_q, second_q;
  logic [15:0]  next_q;
  logic [127:0] low, high;  // halves of the completion

  assign put     = in_packet_i.put && !in_packet_i.dropped && !bad_i;
  assign spoilt  = in_packet_i.put && !in_packet_i.dropped && bad_i;
  assign message = !in_packet_i.put && !in_packet_i.dropped;
  assign slot_o  = in_packet_i.number[SlotWidth-1:0];

  assign complete        = in_valid_i && put && in_packet_i.notify && settled_i && (ring_room_i || offered_q);
  assign dma_valid_o     = complete;
  assign completing_o    = complete;
  assign ring_written_o  = complete && dma_ready_i && second_q;
  assign message_valid_o = in_valid_i && message;
  assign dropped_o       = in_valid_i && (in_packet_i.dropped || (spoilt && settled_i));
  assign mailed_o        = message_valid_o && message_ready_i;
  assign accepted_o      = in_valid_i && put && settled_i && (ring_written_o || !in_packet_i.notify);
  assign retire_o        = dropped_o || mailed_o || accepted_o;
  assign in_ready_o      = retire_o;
  assign quiet_o         = !(dropped_o || mailed_o || (in_valid_i && put && settled_i && !in_packet_i.notify) ||
                             (complete && !offered_q));
  assign next_number_o   = next_q;

  always_comb begin
    end_packet_o = in_packet_i;
    if (!in_packet_i.dropped) begin
      end_packet_o.reason = cf_nic_rx_pkg::ReasonFraming;  // 0
    end
    if (spoilt) begin
      end_packet_o.reason = cf_nic_rx_pkg::ReasonMemory;
    end
  end

  // sequence 0, process 4, tag 6, source 8 (x, y, z), length 12, address 16; the rest zero.
  assign low  = {19'b0, in_packet_i.length, 11'b0, in_packet_i.source[14:10], 3'b0, in_packet_i.source[9:5], 3'b0,
                 in_packet_i.source[4:0], 4'b0, in_packet_i.tag, in_packet_i.process_id, ring_sequence_i};
  assign high = {64'b0, 16'b0, in_packet_i.address};

  always_comb begin
    dma_o         = '0;
    dma_o.kind    = cf_nic_rx_pkg::DmaCompletion;
    dma_o.address = ring_address_i;
    dma_o.number  = in_packet_i.number;
    dma_o.data    = low;
    dma_o.strobe  = '1;
    dma_o.last    = second_q;
    if (second_q) begin
      dma_o.data = high;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offered_q <= 1'b0;
      second_q  <= 1'b0;
      next_q    <= '0;
    end else begin
      offered_q <= complete && !ring_written_o;
      if (complete && dma_ready_i) begin
        second_q <= !second_q;
      end
      if (retire_o) begin
        next_q <= next_q + 16'd1;
      end
    end
  end

  logic unused_fields;
  assign unused_fields = ^in_packet_i;

  `CF_ASSERT_SETUP
  `CF_WHERE(B19_in_order, in_valid_i, in_packet_i.number == next_q)
  `CF_WHERE(B17_completion_after_last_write, dma_valid_o, settled_i)
  `CF_NEVER(B18_dropped_completes, dma_valid_o && in_packet_i.dropped)
  `CF_WHERE(B17_accepted_put_completes, accepted_o && in_packet_i.notify, ring_written_o)
  `CF_WHERE(B23_bad_word_waits_for_writes, in_valid_i && spoilt && dropped_o, settled_i)
  `CF_NEVER(B22_two_ends, (dropped_o && mailed_o) || (dropped_o && accepted_o) || (mailed_o && accepted_o))
  `CF_STABLE(B21_completion_until_taken, dma_valid_o && !dma_ready_i, {dma_valid_o, dma_o})
  `CF_COVER(B17_waits_for_ring, in_valid_i && put && in_packet_i.notify && settled_i && !ring_room_i && !offered_q)
  `CF_COVER(B17_waits_for_writes, in_valid_i && put && !settled_i)
  `CF_COVER(B22_waits_for_mailbox, message_valid_o && !message_ready_i)

endmodule
