// SPDX-License-Identifier: Apache-2.0
// From packets with their pages to their ends: writer, windows, channel, tags and retire together, with any packets of up
// to 63 bytes and rings that have room, and around them the assertions of the block that are about writes and ends.
// No deadlock: all of this
// rests (`quiet_o`: no register changes) only if nothing is inside, or the other side owes something: it has not taken a
// write or a message that is shown, or not acknowledged a write. Each packet ends once, in order and in one way. calm_o stays
// while beats are taken but the last of a write.
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
  input logic        bad_i,
  input logic        message_ready_i
);

  cf_nic_rx_pkg::packet_t packet;
  cf_nic_rx_pkg::page_t   page;
  logic                   home, quiet, dma_valid, message_valid, retire, dropped, accepted, mailed, tag, pop, check;
  cf_nic_rx_pkg::dma_t    dma;
  cf_nic_rx_pkg::packet_t ended;
  logic                   calm, calmly, calmly_q;  // calmly: nothing comes but beats are taken, not the last of a write
  logic [15:0]            number_q;
  logic [1:0]             inside_q, left_q;  // left_q: packets that have ended, modulo 4
  logic                   bad;

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

  cf_nic_rx_output #(.BufferWords(512), .Packets(2), .PacketsInFlight(1), .Writes(2), .Rings(1)) u_dut (
    .clk_i, .clk_tags_i(clk_i), .clk_settled_i(clk_i), .clk_rest_i(clk_i), .tags_active_o(), .settled_active_o(), .active_o(), .beat_o(), .rst_ni, .hard_rst_ni(rst_ni), .max_payload_i(3'd0),
    .hold_i(1'b0), .free_o(), .home_o(home), .quiet_o(quiet), .calm_o(calm), .close_i, .in_valid_i,
    .in_packet_i(packet), .in_ring_i(1'd0), .in_space_i({2'b0, gpu_i}), .in_first_i(page), .in_second_i(page), .data_i('0),
    .check_o(check), .bad_i(bad_i && check), .word_i('0), .bad_o(bad), .bad_word_o(), .pop_o(pop), .skip_o(), .skip_words_o(),
    .dma_valid_o(dma_valid), .dma_ready_i, .dma_o(dma), .dma_tag_o(tag), .ack_valid_i, .ack_tag_i, .rings_busy_o(),
    .ring_set_i(1'b0), .ring_set_number_i(8'd0), .ring_set_base_i(64'd0), .ring_set_entries_i(32'd0),
    .consumed_valid_i(1'b0), .consumed_ring_i(8'd0), .consumed_count_i(32'd0), .end_packet_o(ended),
    .message_valid_o(message_valid), .message_ready_i, .dropped_o(dropped), .accepted_o(accepted), .mailed_o(mailed),
    .retire_o(retire), .retired_o()
  );

  cf_nic_rx_checks #(.Packets(2), .Writes(2)) u_checks (
    .clk_i, .rst_ni, .idle_i(home && inside_q == '0), .begins_i(in_valid_i), .accepted_i(accepted),
    .mailed_i(mailed), .dropped_i(dropped), .ended_i(ended), .counters_i('0), .dma_valid_i(dma_valid), .dma_taken_i(dma_valid && dma_ready_i),
    .dma_i(dma), .dma_tag_i(tag), .ack_valid_i, .ack_tag_i, .bad_i(bad_i && check && pop), .invalidate_i(1'b0), .fence_done_i(1'b0),
    .invalidate_all_i(close_i)
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q <= '0;
      inside_q <= '0;
      left_q   <= '0;
    end else begin
      number_q <= number_q + {15'd0, in_valid_i};
      inside_q <= inside_q + {1'b0, in_valid_i} - {1'b0, retire};
      left_q   <= left_q + {1'b0, retire};
    end
  end

  // In such a cycle no register changes.
  logic still, still_q;
  assign still = quiet && !close_i && !in_valid_i && !(dma_valid && dma_ready_i) && !ack_valid_i &&
                 !(message_valid && message_ready_i);
  assign calmly = calm && !close_i && !in_valid_i && !(dma_valid && dma_ready_i && dma.last) && !ack_valid_i &&
                  !(message_valid && message_ready_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      still_q <= 1'b0;
      calmly_q <= 1'b0;
    end else begin
      still_q <= still;
      calmly_q <= calmly;
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
      B21_output_stays_calm: assert (!calmly_q || calm || (message_valid && message_ready_i));
      B21_output_calmly_ends_none: assert (!(calmly && retire));
      B22_output_ends_once: assert (retire == (accepted || mailed || dropped));
      B20_output_ends_in_one_way: assert ({1'b0, accepted} + {1'b0, mailed} + {1'b0, dropped} <= 2'd1);
      B22_output_in_order: assert (!retire || (inside_q != '0 && ended.number[1:0] == left_q));
      C_still: cover (still && inside_q == 2'd2 && dma_valid);
      C_full: cover (inside_q == 2'd2 && quiet);
      C_home_again: cover (quiet && home && inside_q == '0 && number_q == 16'd2);
    end
  end

endmodule
