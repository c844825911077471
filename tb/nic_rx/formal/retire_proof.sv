// SPDX-License-Identifier: Apache-2.0
// Ends of packets with any packets in their order, a ring and a mailbox that have room at any time, and lose it, and the counters:
// every packet has one outcome, in the cycle in which what it waits for is there, and one counter counts it.
module retire_proof (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   in_valid_i,
  input cf_nic_rx_pkg::packet_t in_packet_i,
  input logic                   settled_i,
  input logic                   bad_i,
  input logic                   ring_room_i,
  input logic [63:0]            ring_address_i,
  input logic [31:0]            ring_sequence_i,
  input logic                   dma_ready_i,
  input logic                   message_ready_i
);

  cf_nic_rx_pkg::packet_t packet_q, ended;
  logic                   in_ready, ring_written, dma_valid, dropped, accepted, mailed, retire, put, spoilt;
  logic                   waits_q, settled_q, retired_q, bad_q;
  logic [15:0]            next_number;
  logic [95:0]            ring_q;
  cf_nic_rx_pkg::counters_t counters, counters_q;
  logic [2+cf_nic_rx_pkg::Reasons-1:0] changed;
  cf_nic_rx_pkg::dma_t    dma;
  logic                   first_q, last_q;  // such a beat of a completion was taken in the cycle before

  cf_nic_rx_retire #(.Packets(2)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_packet_i, .slot_o(), .settled_i, .bad_i, .ring_room_i,
    .ring_address_i, .ring_sequence_i, .ring_written_o(ring_written), .completing_o(), .dma_valid_o(dma_valid),
    .dma_ready_i, .dma_o(dma), .message_valid_o(), .message_ready_i, .dropped_o(dropped), .accepted_o(accepted),
    .mailed_o(mailed), .retire_o(retire), .quiet_o(), .end_packet_o(ended), .next_number_o(next_number)
  );

  cf_nic_rx_counters u_counters (
    .clk_i, .rst_ni, .accepted_i(accepted), .mailed_i(mailed), .dropped_i(dropped), .reason_i(ended.reason),
    .length_i(in_packet_i.length), .counters_o(counters)
  );

  assign put    = in_packet_i.put && !in_packet_i.dropped && !bad_i;
  assign spoilt = in_packet_i.put && !in_packet_i.dropped && bad_i;

  // Counters that changed with the last edge; the bytes are none of them.
  always_comb begin
    changed[0] = counters[31:0] != counters_q[31:0];
    changed[1] = counters[63:32] != counters_q[63:32];
    for (int unsigned r = 0; r < cf_nic_rx_pkg::Reasons; r++) begin
      changed[2+r] = counters[32*(4+r)+:32] != counters_q[32*(4+r)+:32];
    end
  end

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q    <= 1'b0;
      settled_q  <= 1'b0;
      retired_q  <= 1'b0;
      counters_q <= '0;
      first_q    <= 1'b0;
      last_q     <= 1'b0;
    end else begin
      waits_q    <= in_valid_i && !in_ready;
      settled_q  <= in_valid_i && in_packet_i.put && settled_i && !in_ready;
      retired_q  <= retire;
      counters_q <= counters;
      first_q    <= dma_valid && dma_ready_i && !dma.last;
      last_q     <= dma_valid && dma_ready_i && dma.last;
    end
  end
  always_ff @(posedge clk_i) begin
    packet_q <= in_packet_i;
    bad_q    <= bad_i;
    ring_q   <= {ring_address_i, ring_sequence_i};
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!waits_q || (in_valid_i && in_packet_i == packet_q && bad_i == bad_q));
      assume (!settled_q || settled_i);
      assume (!waits_q || ring_q == {ring_address_i, ring_sequence_i});
      assume (in_packet_i.number == next_number);
      assume (in_packet_i.reason <= cf_nic_rx_pkg::ReasonMemory);  // the search and the bus tell of bad entries, too
      B22_one_outcome: assert (retire == (dropped || accepted || mailed) && {1'b0, dropped} + {1'b0, accepted} + {1'b0, mailed} <= 2'd1);
      B20_one_counter: assert ((changed & (changed - 1'b1)) == '0 && (changed != '0) == retired_q);
      B22_drop_ends_at_once: assert (!(in_valid_i && in_packet_i.dropped) || dropped);
      B22_message_ends_with_room: assert (!(in_valid_i && !in_packet_i.dropped && !in_packet_i.put && message_ready_i) || mailed);
      B23_bad_put_is_dropped_when_settled: assert (!(in_valid_i && spoilt) || (dropped == settled_i && !accepted && !dma_valid));
      B23_bad_put_has_its_reason: assert (!(in_valid_i && spoilt) || ended.reason == cf_nic_rx_pkg::ReasonMemory);
      B22_put_ends_when_settled: assert (!(in_valid_i && put && !in_packet_i.notify && settled_i) || accepted);
      B22_put_ends_with_the_last_beat: assert (!(dma_valid && in_packet_i.notify && dma_ready_i && dma.last) || accepted);
      B17_last_after_first: assert (!first_q || (dma_valid && dma.last));
      B17_first_after_last: assert (!last_q || !(dma_valid && dma.last));
      B17_offered_with_room: assert (!(in_valid_i && put && in_packet_i.notify && settled_i && ring_room_i) || dma_valid);
      C_memory_drop_is_counted: cover (retired_q && changed[2+cf_nic_rx_pkg::ReasonMemory] && !bad_q);
    end
  end

endmodule
