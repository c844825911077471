// SPDX-License-Identifier: Apache-2.0
// One entry of BUF_LIST against the first byte of a packet. Combinational.
module cf_nic_rx_match (
  input  logic                   compare_i,  // else there is no match
  input  cf_nic_rx_pkg::buffer_t entry_i,
  input  logic [15:0]            process_i,
  input  logic [47:0]            address_i,
  output logic                   match_o
);

  // address - base - length + 2^49 is sum + 2 carry + 2: saved carries, so that one carry chain answers, not two.
  logic [47:0] base, length, sum, carry;  // complements of base and length, without their highest bits
  logic [49:0] behind;
  logic        before_end;
  logic        unused_bits;

  always_comb begin
    base       = '0;
    length     = '0;
    sum        = '0;
    carry      = '0;
    behind     = '0;
    before_end = 1'b0;
    match_o    = 1'b0;
    if (compare_i && entry_i.valid && entry_i.process_id == process_i) begin
      base       = ~entry_i.base[47:0];
      length     = ~entry_i.length[47:0];
      sum        = address_i ^ base ^ length;
      carry      = (address_i & base) | (address_i & length) | (base & length);
      behind     = {2'b0, sum} - ~{1'b0, carry, 1'b1};
      before_end = !behind[49] || entry_i.length[63:48] != '0;
      match_o    = {16'b0, address_i} >= entry_i.base && before_end;
    end
  end

  assign unused_bits = ^{entry_i, behind};

endmodule
