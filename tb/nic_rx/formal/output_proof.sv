// SPDX-License-Identifier: Apache-2.0
// From packets with their pages to their ends: writer, windows, channel, tags and retire together, with any packets of up
// to 63 bytes and rings that have room, and around them the assertions of the block that are about writes and ends.
// No deadlock: all of this
// rests (`quiet_o`: no register changes) only if nothing is inside, or the other side owes something: it has not taken a
// write or a message that is shown, or not acknowledged a write.
module output_proof (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        close_i,
  input logic        in_valid_i,
  input logic        put_i,
  input logic        dropped_i,
  input logic        notify_i,
  input logic        gpu_i,
  input logic [5:0]  low_i,
  input logic [5:0]  length_i,
  input logic [1:0]  page_i,
  input logic        dma_ready_i,
  input logic        ack_valid_i,
  input logic        ack_tag_i,
  input logic        message_ready_i
);

  cf_nic_rx_pkg::packet_t packet;
  cf_nic_rx_pkg::page_t   page;
  logic                   in_ready, home, quiet, dma_valid, message_valid, retire, dropped, accepted, mailed, tag;
  cf_nic_rx_pkg::dma_t    dma;
  cf_nic_rx_pkg::packet_t ended;
  logic [15:0]            number_q;
  logic [1:0]             inside_q;

  always_comb begin
    packet         = '0;
    packet.number  = number_q;
    packet.put     = put_i;
    packet.dropped = dropped_i;
    packet.notify  = notify_i;
    packet.length  = {7'b0, length_i};
    packet.address = {42'b0, low_i};
    page           = '0;
    page.page      = {50'b0, page_i};
  end

  cf_nic_rx_output #(.Packets(2), .PacketsInFlight(1), .Writes(2), .Rings(1)) u_dut (
    .clk_i, .clk_rest_i(clk_i), .active_o(), .beat_o(), .rst_ni, .hard_rst_ni(rst_ni), .max_payload_i(3'd0),
    .hold_i(1'b0), .free_o(), .home_o(home), .quiet_o(quiet), .calm_o(), .close_i, .in_valid_i, .in_ready_o(in_ready), .in_packet_i(packet), .in_ring_i(8'd0),
    .in_space_i({2'b0, gpu_i}), .in_first_i(page), .in_second_i(page), .data_i('0), .pop_o(), .skip_o(), .skip_words_o(),
    .dma_valid_o(dma_valid), .dma_ready_i, .dma_o(dma), .dma_tag_o(tag), .ack_valid_i, .ack_tag_i, .rings_busy_o(),
    .ring_set_i(1'b0), .ring_set_number_i(8'd0), .ring_set_base_i(64'd0), .ring_set_entries_i(32'd0),
    .consumed_valid_i(1'b0), .consumed_ring_i(8'd0), .consumed_count_i(32'd0), .end_packet_o(ended),
    .message_valid_o(message_valid), .message_ready_i, .dropped_o(dropped), .accepted_o(accepted), .mailed_o(mailed),
    .retire_o(retire), .retired_o()
  );

  cf_nic_rx_checks #(.Packets(2), .Writes(2)) u_checks (
    .clk_i, .rst_ni, .idle_i(home && inside_q == '0), .begins_i(in_valid_i && in_ready), .accepted_i(accepted),
    .mailed_i(mailed), .dropped_i(dropped), .ended_i(ended), .counters_i('0), .dma_taken_i(dma_valid && dma_ready_i),
    .dma_i(dma), .dma_tag_i(tag), .ack_valid_i, .ack_tag_i, .invalidate_i(1'b0), .fence_done_i(1'b0)
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q <= '0;
      inside_q <= '0;
    end else begin
      number_q <= number_q + {15'd0, in_valid_i && in_ready};
      inside_q <= inside_q + {1'b0, in_valid_i && in_ready} - {1'b0, retire};
    end
  end

  // In such a cycle no register changes.
  logic still, still_q;
  assign still = quiet && !close_i && !in_valid_i && !(dma_valid && dma_ready_i) && !ack_valid_i &&
                 !(message_valid && message_ready_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      still_q <= 1'b0;
    end else begin
      still_q <= still;
    end
  end

  // No more packets than the datapath admits come in; each put has a byte at least.
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!(in_valid_i && inside_q == 2'd2));
      assume (length_i != '0);
      B22_output_rests_for_others_only: assert (!quiet || inside_q == '0 || dma_valid || message_valid || !home);
      // The mailbox has room again when a message of it is taken: an input of the block.
      B21_output_stays_quiet: assert (!still_q || quiet || (message_valid && message_ready_i));
      B21_output_has_room: assert (in_ready || inside_q == 2'd2);
      C_still: cover (still && inside_q == 2'd2 && dma_valid);
      C_full: cover (inside_q == 2'd2 && quiet);
      C_home_again: cover (quiet && home && inside_q == '0 && number_q == 16'd2);
    end
  end

endmodule
