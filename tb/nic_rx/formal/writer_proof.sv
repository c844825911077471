// SPDX-License-Identifier: Apache-2.0
// The splitter with any packets of up to 63 bytes, around the end of a page, that stay until they are taken, and with a write channel that refuses
// at will: no write crosses a page or a multiple of max_payload, and the bytes of a packet's writes are as many as its
// payload has, from its first address on, without a gap. It leaves with one of its first Steps beats and moves of windows.
module writer_proof #(
  parameter int unsigned Steps = 8
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         in_valid_i,
  input logic [6:0]   low_i,
  input logic         near_end_i,
  input logic [5:0]   length_i,
  input logic         put_i,
  input logic         dropped_i,
  input logic         gpu_i,
  input logic         out_ready_i,
  input logic         close_i,
  input logic         dma_ready_i,
  input logic         retire_i   // a packet that has left ends
);

  cf_nic_rx_pkg::packet_t packet;
  cf_nic_rx_pkg::page_t   first_page, second_page;
  cf_nic_rx_pkg::dma_t    dma;
  logic                   in_ready, out_valid, dma_valid, beat, waits_q, closed_q;
  logic [3:0]             steps_q;  // beats and moves that the packet has had
  logic [15:0]            number_q;
  logic [4:0]             sent_q;   // packets that have left, and not ended
  logic [16:0]            packet_q;
  logic [16:0]            address;
  logic [6:0]             bytes, written_q;

  assign address = {1'b0, {9{near_end_i}}, low_i};  // at the end of pages of either size, or not

  always_comb begin
    packet            = '0;
    packet.number     = number_q;
    packet.put        = put_i;
    packet.dropped    = dropped_i;
    packet.length     = {7'b0, length_i};
    packet.address    = {31'b0, address};
    first_page        = '0;
    second_page       = '0;
    first_page.page   = 52'h100;
    second_page.page  = 52'h200;
    first_page.token  = 15'd1;
    second_page.token = 15'd2;
  end

  cf_nic_rx_writer #(.PacketsInFlight(2)) u_dut (
    .clk_i, .clk_rest_i(clk_i), .rst_ni, .close_i, .closes_o(), .max_payload_i(3'd0), .in_valid_i, .in_ready_o(in_ready), .in_packet_i(packet),
    .in_space_i({2'b0, gpu_i}), .in_first_i(first_page), .in_second_i(second_page), .out_valid_o(out_valid), .out_ready_i,
    .retire_i(retire_i && sent_q != '0), .data_i('0), .pop_o(), .skip_o(), .skip_words_o(), .dma_valid_o(dma_valid), .dma_ready_i, .dma_offered_i(dma_valid), .dma_o(dma)
  );

  assign beat = dma_valid && dma_ready_i && dma.kind == cf_nic_rx_pkg::DmaData;

  always_comb begin
    bytes = '0;
    for (int unsigned i = 0; i < 16; i++) begin
      bytes = bytes + {6'b0, dma.strobe[i]};
    end
  end

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q   <= 1'b0;
      closed_q  <= 1'b0;
      steps_q   <= '0;
      number_q  <= '0;
      sent_q    <= '0;
      written_q <= '0;
    end else begin
      waits_q  <= in_valid_i && !in_ready;
      sent_q   <= sent_q + 5'(in_valid_i && in_ready) - 5'(retire_i && sent_q != '0);
      closed_q <= in_valid_i && !in_ready && (closed_q || close_i);
      steps_q  <= in_valid_i && !in_ready ? steps_q + {3'd0, dma_valid && dma_ready_i} : 4'd0;
      if (in_valid_i && in_ready) begin
        number_q  <= number_q + 16'd1;
        written_q <= '0;
      end else if (beat) begin
        written_q <= written_q + bytes;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    packet_q <= {low_i, near_end_i, length_i, put_i, dropped_i, gpu_i};
  end

  // Where the bytes of this beat belong: what was written before says it.
  logic [16:0] next;
  logic        second;      // it is in the second page
  logic        first_beat;  // the beat is the first one of a write
  assign next       = address + {10'b0, written_q};
  assign second     = gpu_i ? next[16] != address[16] : next[12] != address[12];
  assign first_beat = beat && (written_q == '0 || next[5:0] == '0);

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (length_i != '0);
      assume (!in_valid_i || sent_q < 5'd16);
      assume (!close_i || !closed_q);  // windows close once a packet at most
      assume (!waits_q || (in_valid_i && packet_q == {low_i, near_end_i, length_i, put_i, dropped_i, gpu_i}));
      if (beat) begin
        B14_only_of_puts: assert (in_valid_i && put_i && !dropped_i);
        B14_from_the_next_byte_on: assert (dma.strobe[next[3:0]] && (next[3:0] == '0 || !dma.strobe[next[3:0] - 4'd1]));
        B14_no_more_than_the_payload: assert (written_q + bytes <= {1'b0, length_i});
        B14_all_of_it: assert (!in_ready || written_q + bytes == {1'b0, length_i});
        B12_ends_at_the_multiple: assert (dma.last || next[5:4] != 2'b11);
        B12_page_of_its_first_byte: assert (!first_beat || dma.address[63:16] == (second ? 48'h20 : 48'h10));
        B12_place_in_its_page: assert (!first_beat || dma.address[11:0] == next[11:0]);
        B12_place_in_a_large_page: assert (!first_beat || !gpu_i || dma.address[15:12] == next[15:12]);
      end
      B22_leaves_after_its_steps: assert (steps_q < 4'(Steps));
      C_two_writes: cover (beat && in_ready && next[16:6] != address[16:6]);
      C_most_steps: cover (steps_q == 4'(Steps - 1));
      C_second_page: cover (beat && in_ready && dma.address[63:16] == 48'h20);
    end
  end

endmodule
