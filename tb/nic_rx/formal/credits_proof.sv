// SPDX-License-Identifier: Apache-2.0
// The tags with any inputs, both of their clocks the same.
module credits_proof #(
  parameter int unsigned Writes = 4,
  parameter int unsigned Packets = 2,
  localparam int unsigned TagWidth = $clog2(Writes),
  localparam int unsigned SlotWidth = $clog2(Packets)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 take_i,
  input logic                 take_counts_i,
  input logic [SlotWidth-1:0] take_slot_i,
  input logic                 ack_valid_i,
  input logic [TagWidth-1:0]  ack_tag_i,
  input logic [SlotWidth-1:0] slot_i
);

  cf_nic_rx_tags #(.Writes(Writes), .Packets(Packets)) u_dut (
    .clk_i, .clk_settled_i(clk_i), .rst_ni, .quiet_o(), .tag_valid_o(), .tag_o(), .take_i, .take_counts_i, .take_slot_i,
    .ack_valid_i, .ack_tag_i, .slot_i, .settled_o(), .settles_o(), .home_o()
  );

  initial assume (!rst_ni);

endmodule
