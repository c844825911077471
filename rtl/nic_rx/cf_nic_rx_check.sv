// SPDX-License-Identifier: Apache-2.0
// The checks on a packet alone, in their order: framing, CRC, header, length, number of words, destination.
// Combinational, and all 0 without valid_i. `message`: a get request that passes; it takes no room in the packet
// buffer.
`include "cf_assert.svh"

module cf_nic_rx_check (
  input  logic                   clk_i,     // assertions sample here
  input  logic                   rst_ni,
  input  logic [14:0]            node_i,    // where this NIC is: x 4:0, y 9:5, z 14:10
  input  logic                   valid_i,
  input  logic [127:0]           header_i,
  input  logic [8:0]             words_i,
  input  logic                   crc_ok_i,
  input  logic [15:0]            number_i,
  output cf_nic_rx_pkg::packet_t packet_o,
  output logic                   message_o
);

  localparam logic [2:0] KindPut = 3'd0;
  localparam logic [2:0] KindGet = 3'd1;

  logic [12:0]            length;
  logic [2:0]             kind;
  logic                   get, dropped;
  logic [8:0]             payload_words;
  cf_nic_rx_pkg::reason_e reason;

  assign length        = header_i[12:0];
  assign kind          = header_i[15:13];
  assign get           = kind == KindGet;
  assign payload_words = length[12:4] + {8'd0, length[3:0] != '0};

  always_comb begin
    dropped = valid_i;
    reason  = cf_nic_rx_pkg::ReasonFraming;
    if (!valid_i || words_i < 9'd2 || words_i > 9'd258) begin
      reason = cf_nic_rx_pkg::ReasonFraming;
    end else if (!crc_ok_i) begin
      reason = cf_nic_rx_pkg::ReasonCrc;
    end else if (!(kind == KindPut || get) || header_i[95:93] != '0 || header_i[127:126] != '0) begin
      reason = cf_nic_rx_pkg::ReasonHeader;
    end else if (length == '0 || length > 13'd4096 || (get && length != 13'd16)) begin
      reason = cf_nic_rx_pkg::ReasonLength;
    end else if (words_i != payload_words + 9'd2) begin
      reason = cf_nic_rx_pkg::ReasonFraming;
    end else if (header_i[125:111] != node_i) begin
      reason = cf_nic_rx_pkg::ReasonMisrouted;
    end else begin
      dropped = 1'b0;
    end
  end

  assign message_o = valid_i && !dropped && get;

  always_comb begin
    packet_o = '0;
    if (valid_i) begin
      packet_o.number     = number_i;
      packet_o.put        = !dropped && !get;
      packet_o.dropped    = dropped;
      packet_o.reason     = reason;
      packet_o.length     = length;
      packet_o.process_id = header_i[31:16];
      packet_o.address    = header_i[79:32];
      packet_o.tag        = header_i[91:80];
      packet_o.notify     = header_i[92];
      packet_o.source     = header_i[110:96];
    end
  end

  logic unused_clock;
  assign unused_clock = ^{clk_i, rst_ni};

  `CF_ASSERT_SETUP
  `CF_NEVER(B3_bad_crc_passes, valid_i && !crc_ok_i && (packet_o.put || message_o))
  `CF_NEVER(B2_length_out_of_range_passes, valid_i && packet_o.put && (length == '0 || length > 13'd4096))
  `CF_NEVER(B18_put_and_dropped, packet_o.put && packet_o.dropped)
  `CF_COVER(B2_longest, valid_i && packet_o.put && length == 13'd4096)
  `CF_COVER(B2_one_too_long, valid_i && reason == cf_nic_rx_pkg::ReasonLength && length == 13'd4097)
  `CF_COVER(B3_bad_crc, valid_i && reason == cf_nic_rx_pkg::ReasonCrc)
  `CF_COVER(B20_misrouted, valid_i && dropped && reason == cf_nic_rx_pkg::ReasonMisrouted)
  `CF_COVER(B18_dropped, valid_i && dropped)

endmodule
