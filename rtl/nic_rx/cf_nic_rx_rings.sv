// SPDX-License-Identifier: Apache-2.0
// The completion rings in the host's memory: where they are, how many completions were written and how many the host
// has read. A ring that is not set up has no room. Whether a ring has room is in a register, computed when a count changes.
`include "cf_assert.svh"

module cf_nic_rx_rings #(
  parameter int unsigned Rings = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // sets a ring up, empty
  input  logic        set_i,
  input  logic [7:0]  set_ring_i,
  input  logic [63:0] set_base_i,     // physical; its low 5 bits are ignored
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
    $fatal(1, "Rings is %0d, not 1 to 256", Rings);
  end

  localparam int unsigned IndexWidth = Rings > 1 ? $clog2(Rings) : 1;

  logic unused_base;
  assign unused_base = ^set_base_i[4:0];

  // By ring. As registers, because a memory has no reset.
  (* mem2reg *) logic [58:0] base_q     [0:Rings-1];
  (* mem2reg *) logic [31:0] last_q     [0:Rings-1];  // entries less one
  (* mem2reg *) logic [31:0] next_q     [0:Rings-1];  // the sequence number of the next completion: those written, and one
  (* mem2reg *) logic [31:0] count_q    [0:Rings-1];  // what the host has read, less one
  (* mem2reg *) logic [31:0] least_q    [0:Rings-1];  // the ring has room while the host has read at least so many
  (* mem2reg *) logic [31:0] slot_q     [0:Rings-1];

  logic [Rings-1:0]      usable_q, room_q;            // it has entries; it has room

  logic [31:0]           last, next, slot, count;        // of ring_i
  logic [31:0]           read_next, least;               // of the ring that the host reads
  logic                  wraps, read_fits, both_fits;    // the count, without and with a completion that is written
  logic                  written_fits;                   // the count that is kept, with one
  logic [IndexWidth-1:0] index, read_index;
  logic                  in_range, set, read, same;

  assign index    = ring_i[IndexWidth-1:0];
  assign in_range = {1'b0, ring_i} < 9'(Rings);
  assign set      = set_i && {1'b0, set_ring_i} < 9'(Rings);
  assign last     = last_q[index];
  assign next     = next_q[index];
  assign count    = count_q[index];
  assign slot     = slot_q[index];

  assign read       = consumed_valid_i && {1'b0, consumed_ring_i} < 9'(Rings);
  assign read_index = consumed_ring_i[IndexWidth-1:0];

  assign room_o     = in_range && room_q[index];
  assign address_o  = {base_q[index] + {27'd0, slot}, 5'd0};
  assign sequence_o = next;
  assign same       = read && read_index == index;

  // A count fits from the least to the most, which is the next sequence number less one; both wrap. Whether one is less than
  // another is told without the numbers less one, which would take a carry chain before that of the comparison; 0 is told apart.
  always_comb begin
    read_next    = '0;
    least        = '0;
    wraps        = 1'b0;
    read_fits    = 1'b0;
    both_fits    = 1'b0;
    written_fits = count >= least_q[index] && (next == '0 || count < next);
    if (next != '0 && least_q[index] >= next) begin
      written_fits = count >= least_q[index] || count < next;
    end
    if (read) begin
      read_next = next_q[read_index];
      least     = least_q[read_index];
      wraps     = read_next != '0 && least >= read_next;
      read_fits = consumed_count_i >= least;
      both_fits = consumed_count_i > least || consumed_count_i == '0;
      if (wraps) begin
        read_fits = read_fits || consumed_count_i < read_next;
        both_fits = both_fits || consumed_count_i <= read_next;
      end else begin
        read_fits = read_fits && (read_next == '0 || consumed_count_i < read_next);
        both_fits = both_fits && (read_next == '0 || (consumed_count_i != '0 && consumed_count_i <= read_next));
      end
    end
  end

  // Nothing waits for written_i, which comes late in a cycle.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      usable_q <= '0;
      room_q   <= '0;
    end else begin
      if (read) begin
        room_q[read_index] <= usable_q[read_index] && read_fits;
      end
      if (written_i && in_range) begin
        room_q[index] <= usable_q[index] && written_fits;
        if (same) begin
          room_q[index] <= usable_q[index] && both_fits;
        end
      end
      if (set) begin
        usable_q[set_ring_i[IndexWidth-1:0]] <= set_entries_i != '0;
        room_q[set_ring_i[IndexWidth-1:0]]   <= set_entries_i != '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      // By 64: Verilator unrolls no more at once, unless it is told to, and refuses the loop otherwise.
      for (int unsigned part = 0; part < Rings; part += 64) begin
        for (int unsigned r = part; r < Rings && r < part + 64; r++) begin
          base_q[r]     <= '0;
          last_q[r]     <= '0;
          next_q[r]     <= 32'd1;
          count_q[r]    <= '1;
          least_q[r]    <= '0;
          slot_q[r]     <= '0;
        end
      end
    end else begin
      if (read) begin
        count_q[read_index] <= consumed_count_i - 32'd1;
      end
      if (written_i && in_range) begin
        next_q[index]  <= next + 32'd1;
        least_q[index] <= least_q[index] + 32'd1;
        slot_q[index]  <= slot + 32'd1;
        if (slot == last) begin
          slot_q[index] <= '0;
        end
      end
      if (set) begin
        base_q[set_ring_i[IndexWidth-1:0]]  <= set_base_i[63:5];
        last_q[set_ring_i[IndexWidth-1:0]]  <= set_entries_i - 32'd1;
        least_q[set_ring_i[IndexWidth-1:0]] <= 32'd1 - set_entries_i;
        next_q[set_ring_i[IndexWidth-1:0]]  <= 32'd1;
        count_q[set_ring_i[IndexWidth-1:0]] <= '1;
        slot_q[set_ring_i[IndexWidth-1:0]]  <= '0;
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B17_written_without_room, !written_i || room_o)
  `CF_ASSERT(B17_room_in_register, room_o == (in_range && usable_q[index] && next - 32'd2 - count <= last))
  `CF_COVER(B17_ring_full, !room_o)
  `CF_COVER(B17_ring_wraps, written_i && slot == last)

endmodule
