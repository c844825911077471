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

  logic [Rings-1:0] room;
  logic [63:0]      address [0:Rings-1];
  logic [31:0]      count   [0:Rings-1];

  for (genvar r = 0; r < Rings; r++) begin : gen_ring
    logic [63:0] base_q;
    logic [31:0] entries_q, produced_q, consumed_q, slot_q;
    logic        set, written;

    assign set        = set_i && set_ring_i == 8'(r);
    assign written    = written_i && ring_i == 8'(r);
    assign room[r]    = produced_q - consumed_q < entries_q;
    assign address[r] = base_q + {27'd0, slot_q, 5'd0};
    assign count[r]   = produced_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        base_q     <= '0;
        entries_q  <= '0;
        produced_q <= '0;
        consumed_q <= '0;
        slot_q     <= '0;
      end else if (set) begin
        base_q     <= set_base_i;
        entries_q  <= set_entries_i;
        produced_q <= '0;
        consumed_q <= '0;
        slot_q     <= '0;
      end else begin
        if (written) begin
          produced_q <= produced_q + 32'd1;
          slot_q     <= slot_q + 32'd1;
          if (slot_q + 32'd1 == entries_q) begin
            slot_q <= '0;
          end
        end
        if (consumed_valid_i && consumed_ring_i == 8'(r)) begin
          consumed_q <= consumed_count_i;
        end
      end
    end

    cf_cover u_wraps (.clk_i, .rst_ni, .hit_i(written && slot_q + 32'd1 == entries_q));
  end

  localparam int unsigned IndexWidth = Rings > 1 ? $clog2(Rings) : 1;
  logic [IndexWidth-1:0] index;

  assign index      = ring_i[IndexWidth-1:0];
  assign room_o     = room[index] && {1'b0, ring_i} < 9'(Rings);
  assign address_o  = address[index];
  assign sequence_o = count[index] + 32'd1;

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B17_written_without_room, !written_i || room_o)
  `CF_COVER(B17_ring_full, !room_o)

endmodule
