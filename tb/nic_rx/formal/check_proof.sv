// SPDX-License-Identifier: Apache-2.0
// The checks on a packet alone, for any header and any number of words: a packet is dropped for the first check that it fails, and
// what leaves has the fields of its header. A packet that passes has the reason 0, and without a packet all is 0: nothing
// behind looks at either, but a bit that is on without a cause costs power, and hides what set it.
module check_proof (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [14:0]  node_i,
  input logic         valid_i,
  input logic [127:0] header_i,
  input logic [8:0]   words_i,
  input logic         crc_ok_i,
  input logic [15:0]  number_i
);

  cf_nic_rx_pkg::packet_t packet, wanted;
  cf_nic_rx_pkg::reason_e reason;
  logic                   message, get, framing, header, length, misrouted, passes;
  logic [12:0]            bytes;
  logic [13:0]            rounded;

  cf_nic_rx_check u_dut (
    .clk_i, .rst_ni, .node_i, .valid_i, .header_i, .words_i, .crc_ok_i, .number_i, .packet_o(packet), .message_o(message)
  );

  assign bytes     = header_i[12:0];
  assign get       = header_i[15:13] == 3'd1;
  assign rounded   = {1'b0, bytes} + 14'd15;  // to words
  assign framing   = words_i == 9'd0 || words_i == 9'd1 || words_i >= 9'd259;
  assign header    = header_i[15:13] > 3'd1 || (header_i & {2'b11, 30'd0, 3'b111, 93'd0}) != '0;
  assign length    = bytes < 13'd1 || bytes >= 13'd4097 || (get && bytes != 13'd16);
  assign misrouted = (header_i[125:111] ^ node_i) != '0;

  always_comb begin
    passes = 1'b0;
    reason = cf_nic_rx_pkg::ReasonFraming;
    if (framing) begin
      reason = cf_nic_rx_pkg::ReasonFraming;
    end else if (!crc_ok_i) begin
      reason = cf_nic_rx_pkg::ReasonCrc;
    end else if (header) begin
      reason = cf_nic_rx_pkg::ReasonHeader;
    end else if (length) begin
      reason = cf_nic_rx_pkg::ReasonLength;
    end else if (words_i - 9'd2 != rounded[12:4]) begin
      reason = cf_nic_rx_pkg::ReasonFraming;
    end else if (misrouted) begin
      reason = cf_nic_rx_pkg::ReasonMisrouted;
    end else begin
      passes = valid_i;
    end
  end

  always_comb begin
    wanted = '0;
    if (valid_i) begin
      wanted.number     = number_i;
      wanted.put        = passes && !get;
      wanted.dropped    = !passes;
      wanted.reason     = reason;
      wanted.length     = bytes;
      wanted.process_id = header_i[31:16];
      wanted.address    = header_i[79:32];
      wanted.tag        = header_i[91:80];
      wanted.notify     = header_i[92];
      wanted.source     = header_i[110:96];
    end
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B18_first_check_that_fails: assert (packet == wanted);
      B18_message_if_a_get_passes: assert (message == (passes && get));
      C_put: cover (passes && !get);
      C_get: cover (passes && get);
      C_wrong_number_of_words: cover (valid_i && crc_ok_i && !framing && !header && !length && !passes && !misrouted);
      C_misrouted: cover (valid_i && misrouted && reason == cf_nic_rx_pkg::ReasonMisrouted);
    end
  end

endmodule
