// SPDX-License-Identifier: Apache-2.0
// The completion rings in the host's memory: where they are, how many completions were written and how many the host
// has read. A ring that is not set up has no room.
`include "cf_assert.svh"

module cf_nic_rx_rings #(
  parameter int unsigned Rings = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // sets a ring up, empty
  input  logic        set_i,
  input  logic [7:0]  set_ring_i,
  input  logic [63:0] set_base_i,     // physical, a multiple of 32
  input  logic [31:0] set_entries_i,  // of 32 bytes
  // the host has read that many since then
  input  logic        consumed_valid_i,
  input  logic [7:0]  consumed_ring_i,
  input  logic [31:0] consumed_count_i,
  // the ring of the next completion
  input  logic [7:0]  ring_i,
  output logic        room_o,
  output logic [63:0] address_o,      // of the next entry
  output logic [31:0] sequence_o,     // counts the ring's completions from 1
  input  logic        written_i       // the entry is written
);

  if (Rings < 1 || Rings > 256) begin : gen_check_rings
    $fatal(1, "%m: Rings is %0d, not 1 to 256", Rings);
  end

  localparam int unsigned IndexWidth = Rings > 1 ? $clog2(Rings) : 1;

  // By ring. As registers, because a memory has no reset.
  (* mem2reg *) logic [63:0] base_q     [0:Rings-1];
  (* mem2reg *) logic [31:0] entries_q  [0:Rings-1];
  (* mem2reg *) logic [31:0] produced_q [0:Rings-1];
  (* mem2reg *) logic [31:0] consumed_q [0:Rings-1];
  (* mem2reg *) logic [31:0] slot_q     [0:Rings-1];

  logic [31:0]           entries, produced, slot;  // of ring_i
  logic [IndexWidth-1:0] index;
  logic                  in_range, set;

  assign index    = ring_i[IndexWidth-1:0];
  assign in_range = {1'b0, ring_i} < 9'(Rings);
  assign set      = set_i && {1'b0, set_ring_i} < 9'(Rings);
  assign entries  = entries_q[index];
  assign produced = produced_q[index];
  assign slot     = slot_q[index];

  assign room_o     = in_range && produced - consumed_q[index] < entries;
  assign address_o  = base_q[index] + {27'd0, slot, 5'd0};
  assign sequence_o = produced + 32'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned r = 0; r < Rings; r++) begin
        base_q[r]     <= '0;
        entries_q[r]  <= '0;
        produced_q[r] <= '0;
        consumed_q[r] <= '0;
        slot_q[r]     <= '0;
      end
    end else begin
      if (consumed_valid_i && {1'b0, consumed_ring_i} < 9'(Rings)) begin
        consumed_q[consumed_ring_i[IndexWidth-1:0]] <= consumed_count_i;
      end
      if (written_i && in_range) begin
        produced_q[index] <= produced + 32'd1;
        slot_q[index]     <= slot + 32'd1;
        if (slot + 32'd1 == entries) begin
          slot_q[index] <= '0;
        end
      end
      if (set) begin
        base_q[set_ring_i[IndexWidth-1:0]]     <= set_base_i;
        entries_q[set_ring_i[IndexWidth-1:0]]  <= set_entries_i;
        produced_q[set_ring_i[IndexWidth-1:0]] <= '0;
        consumed_q[set_ring_i[IndexWidth-1:0]] <= '0;
        slot_q[set_ring_i[IndexWidth-1:0]]     <= '0;
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B17_written_without_room, !written_i || room_o)
  `CF_COVER(B17_ring_full, !room_o)
  `CF_COVER(B17_ring_wraps, written_i && slot + 32'd1 == entries)

endmodule
