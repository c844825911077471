// SPDX-License-Identifier: Apache-2.0
// What packets leave when they end: a get request goes to the mailbox, a drop to the error ring; all ends are counted.
module cf_nic_rx_ends #(
  parameter int unsigned Mailbox = 8,  // get requests
  parameter int unsigned Errors = 16   // drops that are shown
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [14:0]              node_i,           // as long as the packet is inside
  // the packet that ends, and how
  input  cf_nic_rx_pkg::packet_t   packet_i,
  input  logic                     dropped_i,
  input  logic                     accepted_i,
  input  logic                     mail_valid_i,
  output logic                     mail_ready_o,
  input  logic                     mailed_i,
  input  logic [127:0]             payload_i,        // of a get request
  // get requests
  output logic                     message_valid_o,
  input  logic                     message_ready_i,
  output logic [15:0]              message_packet_o,
  output logic [255:0]             message_words_o,
  // drops
  output logic                     error_valid_o,
  input  logic                     error_ready_i,
  output logic [15:0]              error_packet_o,
  output cf_nic_rx_pkg::reason_e   error_reason_o,
  output logic [15:0]              error_process_o,
  output logic [11:0]              error_tag_o,
  output logic [14:0]              error_source_o,
  output logic [31:0]              errors_lost_o,
  output cf_nic_rx_pkg::counters_t counters_o
);

  cf_nic_rx_pkg::header_t in_fields, out_fields;
  cf_nic_rx_pkg::drop_t   drop, error;
  logic [127:0]           header;
  logic [14:0]            node;    // as it was: a get request that waits does not change

  // --- get requests
  assign in_fields = {packet_i.tag, packet_i.source, packet_i.notify, packet_i.process_id, packet_i.address};

  cf_fifo #(.Width(15 + 16 + $bits(in_fields) + 128), .Depth(Mailbox)) u_mailbox (
    .clk_i, .rst_ni, .in_valid_i(mail_valid_i), .in_ready_o(mail_ready_o),
    .in_data_i({node_i, packet_i.number, in_fields, payload_i}), .out_valid_o(message_valid_o), .out_ready_i(message_ready_i),
    .out_data_o({node, message_packet_o, out_fields, message_words_o[255:128]})
  );

  cf_nic_rx_header u_mail_header (
    .get_i(1'b1), .node_i(node), .length_i(13'd16), .fields_i(out_fields), .header_o(header)
  );

  assign message_words_o[127:0] = header;

  // --- drops
  assign drop = {packet_i.reason, packet_i.tag, packet_i.source, packet_i.process_id, packet_i.number};

  cf_nic_rx_errors #(.Entries(Errors)) u_errors (
    .clk_i, .rst_ni, .dropped_i, .drop_i(drop), .valid_o(error_valid_o), .ready_i(error_ready_i), .drop_o(error),
    .lost_o(errors_lost_o)
  );

  assign error_packet_o  = error.number;
  assign error_reason_o  = error.reason;
  assign error_process_o = error.process_id;
  assign error_tag_o     = error.tag;
  assign error_source_o  = error.source;

  cf_nic_rx_counters u_counters (
    .clk_i, .rst_ni, .accepted_i, .mailed_i, .dropped_i, .reason_i(packet_i.reason), .length_i(packet_i.length), .counters_o
  );

  logic unused_flags;
  assign unused_flags = ^{packet_i.put, packet_i.dropped};

endmodule
