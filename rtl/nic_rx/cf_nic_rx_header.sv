// SPDX-License-Identifier: Apache-2.0
// The header word of a packet that has passed the check, from its fields. Combinational.
module cf_nic_rx_header (
  input  logic                   get_i,     // a get request, else a put
  input  logic [14:0]            node_i,
  input  logic [12:0]            length_i,
  input  cf_nic_rx_pkg::header_t fields_i,
  output logic [127:0]           header_o
);

  assign header_o = {2'b0, node_i, fields_i.source, 3'b0, fields_i.notify, fields_i.tag, fields_i.address, fields_i.process_id,
                     2'b0, get_i, length_i};

endmodule
