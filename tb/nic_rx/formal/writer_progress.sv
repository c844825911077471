// SPDX-License-Identifier: Apache-2.0
// Progress of the writer and the channel: in each Each cycles a packet has a beat or a move of a window, or leaves the writer.
// The proof `beats` shows how many of them it has. Three packets are inside, two in flight. The channel takes each beat within Wait
// more cycles, a tag is there within Tag, the next stage has room within Wait, and a packet that was sent begins its
// completion, or ends, within Wait. Completions of the packets before go first, with their tags and beats. Windows close at any time.
module writer_progress #(
  parameter int unsigned Wait = 1,
  parameter int unsigned Tag = 1,
  parameter int unsigned Each = 15
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       close_i,
  input logic       in_valid_i,
  input logic [6:0] low_i,
  input logic       near_end_i,
  input logic [5:0] length_i,
  input logic       put_i,
  input logic       dropped_i,
  input logic       gpu_i,
  input logic       out_ready_i,
  input logic       complete_i,   // a packet that was sent begins its completion
  input logic       end_i,        // or ends without
  input logic       tag_valid_i,
  input logic       dma_ready_i
);

  cf_nic_rx_pkg::packet_t packet;
  cf_nic_rx_pkg::page_t   first_page, second_page;
  cf_nic_rx_pkg::dma_t    data, completion, dma;
  logic                   in_ready, data_valid, data_ready, data_offered, completion_ready, take, dma_valid, ends, waits_q;
  logic                   completing_q, second_q, tagless, burst_q, room_q, tag_there_q;
  logic [16:0]            packet_q;
  logic [1:0]             sent_q;                         // packets in flight
  logic [1:0]             take_q, tag_q, out_q, settle_q; // cycles that the other side has waited
  logic [4:0]             still_q;                        // cycles since the last beat or move, or since the packet is there

  always_comb begin
    packet            = '0;
    packet.put        = put_i;
    packet.dropped    = dropped_i;
    packet.length     = {7'b0, length_i};
    packet.address    = {31'b0, {1'b0, {9{near_end_i}}, low_i}};
    first_page        = '0;
    second_page       = '0;
    first_page.page   = 52'h100;
    second_page.page  = 52'h200;
    completion        = '0;
    completion.last   = second_q;
  end

  cf_nic_rx_writer #(.PacketsInFlight(2)) u_writer (
    .clk_i, .clk_rest_i(clk_i), .rst_ni, .close_i, .closes_o(), .moves_o(), .max_payload_i(3'd0), .in_valid_i, .in_ready_o(in_ready),
    .in_packet_i(packet), .in_space_i({2'b0, gpu_i}), .in_first_i(first_page), .in_second_i(second_page), .out_valid_o(),
    .out_ready_i, .retire_i(ends), .data_i('0), .payload_o(), .pop_o(), .skip_o(), .skip_words_o(), .dma_valid_o(data_valid),
    .dma_ready_i(data_ready), .dma_offered_i(data_offered), .dma_o(data)
  );

  cf_nic_rx_channel #(.TagWidth(1)) u_channel (
    .clk_i, .rst_ni, .hold_i(1'b0), .free_o(), .quiet_o(), .first_valid_i(completing_q), .first_ready_o(completion_ready),
    .first_i(completion), .second_valid_i(data_valid), .second_ready_o(data_ready), .second_offered_o(data_offered), .second_i(data), .tag_valid_i, .tag_i(1'b0),
    .take_o(take), .dma_valid_o(dma_valid), .dma_ready_i, .dma_o(dma), .dma_tag_o()
  );

  assign ends    = completing_q ? completion_ready && second_q : end_i;
  assign tagless = (completing_q || data_valid) && !tag_valid_i;

  initial assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    packet_q <= {low_i, near_end_i, length_i, put_i, dropped_i, gpu_i};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q      <= 1'b0;
      room_q       <= 1'b0;
      tag_there_q  <= 1'b0;
      completing_q <= 1'b0;
      second_q     <= 1'b0;
      burst_q      <= 1'b0;
      sent_q       <= '0;
      take_q       <= '0;
      tag_q        <= '0;
      out_q        <= '0;
      settle_q     <= '0;
      still_q      <= '0;
    end else begin
      waits_q      <= in_valid_i && !in_ready;
      room_q       <= in_valid_i && out_ready_i && !in_ready;
      tag_there_q  <= tag_valid_i && !take;
      completing_q <= completing_q ? !ends : complete_i;
      second_q     <= completing_q && (completion_ready ? !second_q : second_q);
      burst_q      <= dma_valid && dma_ready_i ? !dma.last : burst_q;
      sent_q       <= sent_q + {1'b0, in_valid_i && in_ready} - {1'b0, ends};
      take_q       <= dma_valid && !dma_ready_i ? take_q + 2'd1 : 2'd0;
      tag_q        <= tagless && !burst_q ? tag_q + 2'd1 : 2'd0;
      out_q        <= in_valid_i && !out_ready_i ? out_q + 2'd1 : 2'd0;
      settle_q     <= sent_q != '0 && !completing_q && !complete_i && !end_i ? settle_q + 2'd1 : 2'd0;
      still_q      <= in_valid_i && !in_ready && !(data_valid && data_ready) ? still_q + 5'd1 : 5'd0;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (length_i != '0);
      assume (!waits_q || (in_valid_i && packet_q == {low_i, near_end_i, length_i, put_i, dropped_i, gpu_i}));
      assume (!in_valid_i || sent_q < 2'd3);  // three packets are inside at most
      assume (out_q < 2'(Wait) || out_ready_i);
      assume (!room_q || out_ready_i);
      assume (!tag_there_q || tag_valid_i);
      assume (take_q < 2'(Wait) || dma_ready_i);
      assume (tag_q < 2'(Tag) || tag_valid_i);
      assume (!(complete_i && end_i) && !((complete_i || end_i) && (completing_q || sent_q == '0)));
      assume (settle_q < 2'(Wait) || sent_q == '0 || completing_q || complete_i || end_i);
      B22_takes_a_step_in_time: assert (still_q < 5'(Each));
      C_longest: cover (still_q == 5'(Each - 1));
    end
  end

endmodule
