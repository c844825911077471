// SPDX-License-Identifier: Apache-2.0
// Ends of packets and one ring of any size together, with a host that reads no more than was written: a completion is counted
// as written where the ring has room alone. While it is offered the ring keeps its room: only a completion takes room, and
// the ring is not set up while one is offered, as the command module has it. An induction, from any state that the assertions
// allow; the comparison of counts of 32 bits is shown by `room`.
module completion_proof (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   in_valid_i,
  input cf_nic_rx_pkg::packet_t in_packet_i,
  input logic                   settled_i,
  input logic                   bad_i,
  input logic                   dma_ready_i,
  input logic                   message_ready_i,
  input logic                   set_i,
  input logic [31:0]            set_entries_i,
  input logic                   consumed_valid_i,
  input logic [31:0]            consumed_count_i
);

  (* hierconn *) wire [31:0] \u_rings.last_q[0] ;
  (* hierconn *) wire [31:0] \u_rings.next_q[0] ;
  (* hierconn *) wire [31:0] \u_rings.count_q[0] ;
  (* hierconn *) wire [31:0] \u_rings.least_q[0] ;
  (* hierconn *) wire        \u_rings.usable_q ;
  (* hierconn *) wire        \u_rings.room_q ;
  (* hierconn *) wire        \u_dut.offered_q ;

  cf_nic_rx_pkg::packet_t packet_q;
  logic                   in_ready, room, written, completing, waits_q, settled_q, bad_q;
  logic [15:0]            next_number;
  logic [31:0]            unread;

  cf_nic_rx_retire #(.Packets(2)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_packet_i, .slot_o(), .settled_i, .bad_i, .ring_room_i(room),
    .ring_address_i(64'd0), .ring_sequence_i(32'd0), .ring_written_o(written), .completing_o(completing), .dma_valid_o(),
    .dma_ready_i, .dma_o(), .message_valid_o(), .message_ready_i, .dropped_o(), .accepted_o(), .mailed_o(), .retire_o(),
    .quiet_o(), .end_packet_o(), .next_number_o(next_number)
  );

  cf_nic_rx_rings #(.Rings(1)) u_rings (
    .clk_i, .rst_ni, .set_i, .set_ring_i(8'd0), .set_base_i(64'd0), .set_entries_i, .consumed_valid_i, .consumed_ring_i(8'd0),
    .consumed_count_i, .ring_i(8'd0), .room_o(room), .address_o(), .sequence_o(), .written_i(written)
  );

  assign unread = \u_rings.next_q[0] - 32'd2 - \u_rings.count_q[0] ;

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q   <= 1'b0;
      settled_q <= 1'b0;
    end else begin
      waits_q   <= in_valid_i && !in_ready;
      settled_q <= in_valid_i && in_packet_i.put && settled_i && !in_ready;
    end
  end
  always_ff @(posedge clk_i) begin
    packet_q <= in_packet_i;
    bad_q    <= bad_i;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!waits_q || (in_valid_i && in_packet_i == packet_q && bad_i == bad_q));
      assume (!settled_q || settled_i);
      assume (in_packet_i.number == next_number);
      assume (!set_i || !completing);
      assume (!consumed_valid_i || consumed_count_i - \u_rings.count_q[0] - 32'd1 <= unread);
      // shown by `room`, of any ring
      assume (\u_rings.room_q == ( \u_rings.usable_q && unread <= \u_rings.last_q[0] ));
      B17_unread_within_the_ring: assert (unread == '0 || ( \u_rings.usable_q && unread - 32'd1 <= \u_rings.last_q[0] ));
      B17_room_while_it_is_offered: assert (! \u_dut.offered_q || (room && completing));
      C_written: cover (written);
    end
  end

endmodule
