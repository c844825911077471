// SPDX-License-Identifier: Apache-2.0
// Translation shows nothing without a valid: what is behind it would not look, but wide data would change for nothing.
module shows_proof #(
  parameter int unsigned RingWidth = 8
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   by_core_i,
  input logic                   invalidate_i,
  input logic                   older_i,
  input logic                   in_valid_i,
  input cf_nic_rx_pkg::packet_t in_packet_i,
  input logic [2:0]             in_space_i,
  input logic [RingWidth-1:0]   in_ring_i,
  input logic                   out_ready_i,
  input logic                   hit_i,
  input cf_nic_rx_pkg::page_t   page_i,
  input logic                   walked_valid_i,
  input logic                   walked_found_i,
  input logic [63:0]            walked_entry_i,
  input logic                   core_done_i,
  input logic                   core_dropped_i,
  input cf_nic_rx_pkg::reason_e core_reason_i,
  input logic [2:0]             core_space_i,
  input logic [RingWidth-1:0]   core_ring_i,
  input logic [127:0]           core_entries_i
);

  cf_nic_rx_pkg::packet_t packet;
  cf_nic_rx_pkg::page_t   first, second;
  logic [RingWidth-1:0]   ring;
  logic [2:0]             space;
  logic                   valid;

`ifdef CF_HARDWARE
  cf_nic_rx_translate u_dut (  // a netlist of that width
`else
  cf_nic_rx_translate #(.RingWidth(RingWidth)) u_dut (
`endif
    .clk_i, .rst_ni, .by_core_i, .invalidate_i, .older_i, .quiet_o(), .in_valid_i, .in_ready_o(), .in_packet_i, .in_space_i,
    .in_ring_i, .out_valid_o(valid), .out_ready_i, .out_packet_o(packet), .out_ring_o(ring), .out_space_o(space),
    .out_first_o(first), .out_second_o(second), .lookup_o(), .gpu_o(), .host_number_o(), .gpu_number_o(), .hit_i, .page_i,
    .insert_o(), .insert_page_o(), .walk_o(), .walked_valid_i, .walked_ready_o(), .walked_found_i, .walked_entry_i,
    .core_valid_o(), .core_done_i, .core_dropped_i, .core_reason_i, .core_space_i, .core_ring_i, .core_entries_i
  );

  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B21_nothing_without_a_valid: assert (valid || {packet, first, second} == '0);
      B21_ring_and_space_as_found: assert (valid || {ring, space} == {in_ring_i, in_space_i});
      C_shown: cover (valid && packet.put && first != second);
      C_waits: cover (!valid && in_valid_i && in_packet_i.put);
    end
  end

endmodule
