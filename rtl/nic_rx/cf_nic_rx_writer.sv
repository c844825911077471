// SPDX-License-Identifier: Apache-2.0
// Makes the writes of puts: the payload is cut at every multiple of max_payload in the destination's address, and each
// piece is one write, aligned to its 16 bytes of memory. Before a piece in a GPU page that the window does not show,
// the window moves. Other packets pass in a cycle; the payload of dropped puts is skipped. Timing: dma_* are
// combinational of registers, and of the word that the packet buffer shows. A beat a cycle.
`include "cf_assert.svh"

module cf_nic_rx_writer #(
  parameter int unsigned Packets = 16,        // in the datapath
  parameter int unsigned PacketsInFlight = 8  // whose writes are sent and that are not retired
) (
  input  logic                   clk_i,         // of beats
  input  logic                   clk_rest_i,    // the same clock, of packets, moves of windows and while closes_o
  input  logic                   rst_ni,
  input  logic                   close_i,       // windows move before the next write
  output logic                   closes_o,      // they are about to close
  output logic                   moves_o,       // one moves with the next edge
  input  logic [2:0]             max_payload_i, // 64 bytes times two to its power, up to 4,096; constant
  // packets
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  cf_nic_rx_pkg::packet_t in_packet_i,
  input  logic [2:0]             in_space_i,
  input  cf_nic_rx_pkg::page_t   in_first_i,
  input  cf_nic_rx_pkg::page_t   in_second_i,
  output logic                   out_valid_o,   // the packet has been sent, or has passed
  input  logic                   out_ready_i,
  input  logic                   retire_i,      // a packet leaves the datapath
  // packet buffer
  input  logic [127:0]           data_i,
  output logic                   payload_o,     // the word that is shown belongs to the packet
  output logic                   pop_o,
  output logic                   skip_o,
  output logic [8:0]             skip_words_o,
  // write channel
  output logic                   dma_valid_o,
  input  logic                   dma_ready_i,
  input  logic                   dma_offered_i, // the channel shows it outside
  output cf_nic_rx_pkg::dma_t    dma_o
);

  if (PacketsInFlight < 1 || PacketsInFlight > 256) begin : gen_check_in_flight
    $fatal(1, "PacketsInFlight is %0d, not 1 to 256", PacketsInFlight);
  end

  localparam int unsigned InFlightWidth = $clog2(Packets) + 1;

  logic                 put, gpu, begun_q, inside_q, cut_q;  // a beat was sent; within a piece; a piece was sent
  logic                 second, match, move, fire, beat, last_beat, last_of_piece;
  logic [InFlightWidth-1:0] in_flight_q;              // packets, those without writes among them
  logic [8:0]           words, words_left, words_left_q;
  logic [12:0]          at, at_q, first_at;  // the 16 bytes that this beat writes, within 128 KiB: two pages of a GPU
  logic [16:0]          start;               // the first byte of the piece that begins, in the same 128 KiB
  logic [3:0]           last_byte;           // the packet's, within its 16 bytes
  logic                 one_more;            // beats than words: the last beat has no word of its own
  logic [7:0]           piece_mask;
  logic [127:8]         before_q;
  logic [15:0]          strobe;
  logic [127:0]         data;
  logic [63:0]          piece, address_q;  // of its first byte: of the piece that begins, of the one under way
  logic [63:0]          address;           // and the other fields of the beat
  logic [15:0]          number, shown;
  logic [14:0]          token;
  logic                 last;
  cf_nic_rx_pkg::dma_kind_e kind;
  cf_nic_rx_pkg::page_t page;

  assign put       = in_packet_i.put && !in_packet_i.dropped;
  assign gpu       = in_space_i != '0;
  assign first_at  = in_packet_i.address[16:4];
  assign {one_more, last_byte} = {1'b0, in_packet_i.address[3:0]} + {1'b0, in_packet_i.length[3:0] - 4'd1};
  assign words     = in_packet_i.length[12:4] + {8'd0, in_packet_i.length[3:0] != '0};

  // Where the packet stands.
  always_comb begin
    at         = first_at;
    words_left = words;
    if (begun_q) begin
      at         = at_q;
      words_left = words_left_q;
    end
  end

  assign piece_mask    = (8'd4 << max_payload_i) - 8'd1;
  assign last_beat     = words_left == {8'd0, !one_more};
  assign last_of_piece = last_beat || (at[7:0] & piece_mask) == piece_mask;

  // The piece that begins, with its page. Within a piece neither is used, and a simulator computes neither.
  always_comb begin
    start  = '0;
    second = 1'b0;
    page   = '0;
    piece  = '0;
    if (!inside_q) begin
      start = in_packet_i.address[16:0];
      if (cut_q) begin
        start = {at_q, 4'b0};
      end
      second = gpu ? start[16] != in_packet_i.address[16] : start[12] != in_packet_i.address[12];
      page   = in_first_i;
      if (second) begin
        page = in_second_i;
      end
      piece = {page.page, start[11:0]};
      if (gpu) begin
        piece[15:12] = start[15:12];
      end
    end
  end

  cf_nic_rx_windows u_windows (
    .clk_i(clk_rest_i), .rst_ni, .look_i(!inside_q), .space_i(in_space_i), .first_i(in_first_i), .second_i(in_second_i),
    .of_second_i(second), .match_o(match), .move_i(moves_o),
    .close_i(close)
  );

  // What is offered outside stays: windows close when it has been taken. What waits for a tag, or behind a completion, is not
  // offered.
  logic close, close_q;
  assign close    = (close_i || close_q) && !(dma_offered_i && !dma_ready_i);
  assign closes_o = close_q;

  always_ff @(posedge clk_rest_i or negedge rst_ni) begin
    if (!rst_ni) begin
      close_q <= 1'b0;
    end else begin
      close_q <= (close_i || close_q) && !close;
    end
  end

  assign move        = !inside_q && !match;
  assign dma_valid_o = in_valid_i && put && (begun_q || 32'(in_flight_q) < PacketsInFlight) && out_ready_i;
  assign fire        = dma_valid_o && dma_ready_i;
  assign beat        = fire && !move;
  assign moves_o     = fire && move;

  // Byte j of the beat is byte j - offset of the current word of payload, or of the one before.
  function [127:0] moved(input [127:0] word, input [127:8] former, input [3:0] offset);
    logic [183:0] eights;  // moved by the offset's eights of bytes, and so on
    logic [151:0] fours;
    logic [135:0] twos;
    eights = offset[3] ? {word[63:0], former} : {word, former[127:72]};
    fours  = offset[2] ? eights[151:0] : eights[183:32];
    twos   = offset[1] ? fours[135:0] : fours[151:16];
    moved  = offset[0] ? twos[127:0] : twos[135:8];
  endfunction

  // From the packet's first byte to its last.
  always_comb begin
    strobe = '1;
    if (!cut_q && !inside_q) begin
      strobe = 16'hFFFF << in_packet_i.address[3:0];
    end
    if (last_beat) begin
      strobe = strobe & ~(16'hFFFE << last_byte);
    end
  end

  always_comb begin
    data = '0;
    if (dma_valid_o) begin
      data = data_i;
      if (in_packet_i.address[3:0] != '0) begin
        data = moved(data_i, before_q, in_packet_i.address[3:0]);
      end
      if (strobe != '1) begin
        for (int unsigned i = 0; i < 16; i++) begin
          if (!strobe[i]) begin
            data[8*i+:8] = '0;  // else words of others would show, which change
          end
        end
      end
    end
  end

  always_comb begin
    kind    = cf_nic_rx_pkg::DmaData;
    number  = '0;
    address = '0;
    token   = '0;
    shown   = '0;
    last    = 1'b0;
    if (dma_valid_o) begin
      number = in_packet_i.number;
      if (move) begin
        kind    = cf_nic_rx_pkg::DmaWindow;
        address = {page.page, 12'b0};
        token   = page.token;
        last    = 1'b1;
      end else begin
        address = piece;
        shown   = strobe;
        last    = last_of_piece;
        if (inside_q) begin
          address = address_q;
        end
      end
    end
  end

  assign dma_o = {kind, in_space_i, last, token, number, shown, address, data};

  assign out_valid_o  = in_valid_i && (!put || (beat && last_beat));
  assign in_ready_o   = out_valid_o && out_ready_i;
  assign payload_o    = in_valid_i && put && words_left != '0;
  assign pop_o        = beat && words_left != '0;
  assign skip_o       = in_valid_i && in_packet_i.put && in_packet_i.dropped && out_ready_i;  // no beat's end is in this path
  assign skip_words_o = words;

  always_ff @(posedge clk_i) begin
    if (pop_o) begin
      before_q <= data_i[127:8];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q      <= 1'b0;
      inside_q     <= 1'b0;
      cut_q        <= 1'b0;
      at_q         <= '0;
      address_q    <= '0;
      words_left_q <= '0;
    end else begin
      if (fire) begin
        begun_q <= 1'b1;  // a move of the window begins it, too
      end
      if (fire && !begun_q && move) begin
        at_q         <= first_at;
        words_left_q <= words;
      end
      if (beat) begin
        at_q         <= at + 13'd1;
        address_q    <= address;
        inside_q     <= !last_of_piece;
        cut_q        <= cut_q || last_of_piece;
        words_left_q <= words_left - {8'd0, pop_o};
        if (last_beat) begin
          begun_q <= 1'b0;
          cut_q   <= 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_rest_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_flight_q <= '0;
    end else begin
      in_flight_q <= in_flight_q + InFlightWidth'(in_ready_o) - InFlightWidth'(retire_i);
    end
  end

  logic unused_bits;
  assign unused_bits = ^{start, in_packet_i};

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B15_max_payload_in_range, max_payload_i <= 3'd6)
  `CF_NEVER(B12_crosses_a_page, beat && inside_q && at[7:0] == '0)
  `CF_WHERE(B14_all_words_are_written, begun_q,
            at_q - first_at + 13'(words_left_q) == 13'(words) && words_left_q >= 9'(!one_more))
  `CF_WHERE(B14_ends_with_the_last_byte, beat && last_beat,
            at == 13'((in_packet_i.address[16:0] + 17'(in_packet_i.length) - 17'd1) >> 4))
  `CF_WHERE(B14_all_words_are_popped, beat && last_beat && words_left == 9'd1, pop_o)
  `CF_WHERE(B14_nothing_shown_without_a_write, !dma_valid_o, {dma_o.strobe, dma_o.address, dma_o.data} == '0)
  `CF_NEVER(B14_beat_without_a_byte, beat && dma_o.strobe == '0)
  `CF_WHERE(B13_host_burst_in_4096, beat && !gpu && inside_q, at[7:0] > address_q[11:4])
  `CF_NEVER(B15_write_outside_the_window, beat && !inside_q && !match)
  `CF_WHERE(B22_in_flight_is_bounded, fire && !begun_q, 32'(in_flight_q) < PacketsInFlight)
  `CF_ASSERT(B22_in_flight_are_inside, 32'(in_flight_q) <= Packets)
  `CF_NEVER(B18_dropped_is_written, fire && in_packet_i.dropped)
  `CF_COVER(B12_begins_at_a_page, beat && !begun_q && in_packet_i.address[11:0] == '0)
  `CF_COVER(B12_begins_at_the_last_byte, beat && !begun_q && in_packet_i.address[11:0] == '1)
  `CF_COVER(B12_second_page, beat && second)
  `CF_COVER(B14_one_byte, beat && in_packet_i.length == 13'd1)
  `CF_COVER(B14_beat_without_a_word, beat && !pop_o)
  `CF_COVER(B15_moves_within_a_packet, fire && move && begun_q)

endmodule
