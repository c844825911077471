// SPDX-License-Identifier: Apache-2.0
// Stands for the completion rings in proofs: with room or without, anywhere.
module cf_nic_rx_rings #(
  parameter int unsigned Rings = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        set_i,
  input  logic [7:0]  set_ring_i,
  input  logic [63:0] set_base_i,
  input  logic [31:0] set_entries_i,
  input  logic        consumed_valid_i,
  input  logic [7:0]  consumed_ring_i,
  input  logic [31:0] consumed_count_i,
  input  logic [7:0]  ring_i,
  output logic        room_o,
  output logic [63:0] address_o,
  output logic [31:0] sequence_o,
  input  logic        written_i
);


  (* anyseq *) logic        any_room;
  (* anyseq *) logic [63:0] any_address;
  (* anyseq *) logic [31:0] any_sequence;
  assign room_o     = any_room;
  assign address_o  = any_address;
  assign sequence_o = any_sequence;

endmodule
