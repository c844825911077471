// SPDX-License-Identifier: Apache-2.0
// The header word of a packet that has passed the check, from its fields. Combinational.
module cf_nic_rx_header (
  input  logic                   valid_i,   // else it is 0
  input  logic [14:0]            node_i,
  input  cf_nic_rx_pkg::packet_t packet_i,
  output logic [127:0]           header_o
);

  logic unused_fields;
  assign unused_fields = ^packet_i;

  always_comb begin
    header_o = '0;
    if (valid_i) begin
      header_o = {2'b0, node_i, packet_i.source, 3'b0, packet_i.notify, packet_i.tag, packet_i.address,
                  packet_i.process_id, 2'b0, !packet_i.put, packet_i.length};
    end
  end

endmodule
