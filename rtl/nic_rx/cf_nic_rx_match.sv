// SPDX-License-Identifier: Apache-2.0
// One entry of BUF_LIST against the first byte of a packet. Combinational.
module cf_nic_rx_match (
  input  logic                   compare_i,  // else there is no match
  input  cf_nic_rx_pkg::buffer_t entry_i,
  input  logic [15:0]            process_i,
  input  logic [47:0]            address_i,
  output logic                   match_o,
  output logic [63:0]            left_o      // bytes of the buffer from that byte on, if it matches
);

  logic [63:0] offset;
  logic        unused_fields;

  always_comb begin
    offset  = '0;
    left_o  = '0;
    match_o = 1'b0;
    if (compare_i && entry_i.valid && entry_i.process_id == process_i) begin
      offset  = {16'b0, address_i} - entry_i.base;
      left_o  = entry_i.length - offset;
      match_o = {16'b0, address_i} >= entry_i.base && offset < entry_i.length;
    end
  end

  assign unused_fields = ^entry_i;

endmodule
