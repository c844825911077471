// SPDX-License-Identifier: Apache-2.0
// One entry of BUF_LIST against the first byte of a packet. Combinational.
module cf_nic_rx_match (
  input  cf_nic_rx_pkg::buffer_t entry_i,
  input  logic [15:0]            process_i,
  input  logic [47:0]            address_i,
  output logic                   match_o,
  output logic [63:0]            left_o      // bytes of the buffer from that byte on, if it matches
);

  logic [64:0] offset;  // with the borrow
  logic        unused_fields;

  assign offset        = {17'b0, address_i} - {1'b0, entry_i.base};
  assign left_o        = entry_i.length - offset[63:0];
  assign match_o       = entry_i.valid && entry_i.process_id == process_i && !offset[64] &&
                         offset[63:0] < entry_i.length;
  assign unused_fields = ^entry_i;

endmodule
