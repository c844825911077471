// SPDX-License-Identifier: Apache-2.0
// Completion rings of any sizes, set up, written and read in any order, by a host that reads no more than was written. The
// proof is an induction, from any state that the assertions allow: so it covers counts of 32 bits that wrap, which no
// simulation reaches, for sizes that are no power of two, too.
//   A ring holds no more unread completions than it has entries, and has room whenever it holds fewer.
//   A completion's entry is the one behind that of the one before, in a circle of all entries, and its number one more.
//   Where the number of entries is a multiple of a power of two, entry and number agree modulo that: so the states that the
//   assertions allow are those that are reached, as a count of 32 bits goes around often enough.
// So no completion is written over an unread one. Names with u_dut are registers of the module (hierconn): its own state is
// what the induction begins with. That a count is compared as it should be is the hard part, and a proof of its own.
// Of several rings one is watched, which is any.
`ifdef CF_HARDWARE
`define CF_MORE_RINGS  // a netlist of two rings, as mutants have them
`endif
module rings_proof #(
  parameter bit RoomIsProven = 1'b0,  // shown by the first of two proofs, and taken for granted in the second
  parameter int unsigned Rings = 1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        set_i,
  input logic [7:0]  set_ring_i,
  input logic [63:0] set_base_i,
  input logic [31:0] set_entries_i,
  input logic        consumed_valid_i,
  input logic [7:0]  consumed_ring_i,
  input logic [31:0] consumed_count_i,
  input logic [7:0]  ring_i,
  input logic        written_i
);

  (* hierconn *) wire [58:0] \u_dut.base_q[0] ;
  (* hierconn *) wire [31:0] \u_dut.last_q[0] ;
  (* hierconn *) wire [31:0] \u_dut.next_q[0] ;
  (* hierconn *) wire [31:0] \u_dut.count_q[0] ;
  (* hierconn *) wire [31:0] \u_dut.least_q[0] ;
  (* hierconn *) wire [31:0] \u_dut.slot_q[0] ;
`ifdef CF_MORE_RINGS
  (* hierconn *) wire [58:0] \u_dut.base_q[1] ;
  (* hierconn *) wire [31:0] \u_dut.last_q[1] ;
  (* hierconn *) wire [31:0] \u_dut.next_q[1] ;
  (* hierconn *) wire [31:0] \u_dut.count_q[1] ;
  (* hierconn *) wire [31:0] \u_dut.least_q[1] ;
  (* hierconn *) wire [31:0] \u_dut.slot_q[1] ;
`endif
  (* hierconn *) wire [Rings-1:0] \u_dut.usable_q ;
  (* hierconn *) wire [Rings-1:0] \u_dut.room_q ;

  // The registers of all rings, a ring after the other.
  logic [59*Rings-1:0] base_all;
  logic [32*Rings-1:0] last_all;
  logic [32*Rings-1:0] next_all;
  logic [32*Rings-1:0] count_all;
  logic [32*Rings-1:0] least_all;
  logic [32*Rings-1:0] slot_all;
`ifdef CF_MORE_RINGS
  assign base_all = {\u_dut.base_q[1] , \u_dut.base_q[0] };
  assign last_all = {\u_dut.last_q[1] , \u_dut.last_q[0] };
  assign next_all = {\u_dut.next_q[1] , \u_dut.next_q[0] };
  assign count_all = {\u_dut.count_q[1] , \u_dut.count_q[0] };
  assign least_all = {\u_dut.least_q[1] , \u_dut.least_q[0] };
  assign slot_all = {\u_dut.slot_q[1] , \u_dut.slot_q[0] };
`else
  assign base_all = \u_dut.base_q[0] ;
  assign last_all = \u_dut.last_q[0] ;
  assign next_all = \u_dut.next_q[0] ;
  assign count_all = \u_dut.count_q[0] ;
  assign least_all = \u_dut.least_q[0] ;
  assign slot_all = \u_dut.slot_q[0] ;
`endif

  (* anyconst *) logic [7:0] any_ring;
  logic [7:0]  ring;
  logic [58:0] its_base;
  logic [31:0] its_last, its_next, its_count, its_least, its_slot;
  logic        its_usable, its_room;

  assign ring       = Rings == 1 ? 8'd0 : any_ring;
  assign its_base   = base_all[59*ring+:59];
  assign its_last   = last_all[32*ring+:32];
  assign its_next   = next_all[32*ring+:32];
  assign its_count  = count_all[32*ring+:32];
  assign its_least  = least_all[32*ring+:32];
  assign its_slot   = slot_all[32*ring+:32];
  assign its_usable = \u_dut.usable_q [ring];
  assign its_room   = \u_dut.room_q [ring];

  logic        room, writes, sets, reads, usable;
  logic        sets_q, writes_q, usable_q;  // in the cycle before
  logic [31:0] size, written, read, unread, entry;
  logic [31:0] written_q, entry_q, read_q, size_q;
  logic [58:0] base, base_q;  // without the low 5 bits
  logic [63:0] address;
  logic [31:0] number;

  // What the registers stand for.
  assign usable  = its_usable;
  assign base    = its_base;
  assign size    = its_last + 32'd1;
  assign written = its_next - 32'd1;  // modulo 2^32, as all counts
  assign read    = its_count + 32'd1;
  assign unread  = its_next - 32'd2 - its_count;
  assign entry   = its_slot;

  assign sets   = set_i && set_ring_i == ring;
  assign reads  = consumed_valid_i && consumed_ring_i == ring;
  assign writes = written_i && ring_i == ring;

`ifdef CF_HARDWARE
  cf_nic_rx_rings u_dut (
`else
  cf_nic_rx_rings #(.Rings(Rings)) u_dut (
`endif
    .clk_i, .rst_ni, .set_i, .set_ring_i, .set_base_i, .set_entries_i, .consumed_valid_i, .consumed_ring_i,
    .consumed_count_i, .ring_i, .room_o(room), .address_o(address), .sequence_o(number), .written_i
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sets_q    <= 1'b0;
      writes_q  <= 1'b0;
      usable_q  <= 1'b0;
      base_q    <= '0;
      size_q    <= 32'd1;
      written_q <= '0;
      read_q    <= '0;
      entry_q   <= '0;
    end else begin
      sets_q    <= sets;
      writes_q  <= writes;
      usable_q  <= sets ? set_entries_i != '0 : usable;
      base_q    <= sets ? set_base_i[63:5] : base;
      size_q    <= sets ? set_entries_i : size;
      written_q <= written;
      read_q    <= reads ? consumed_count_i : read;
      entry_q   <= entry;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (32'(ring) < Rings);
      assume (!written_i || room);
      assume (!reads || consumed_count_i - read <= unread);
      B17_no_more_than_the_entries: assert (unread == '0 || (usable && unread - 32'd1 <= its_last));
      B17_usable_has_entries: assert (!usable || size != '0);
      if (RoomIsProven) begin
        assume (its_room == (usable && unread <= its_last));
      end else begin
        B17_bound_by_size: assert (!usable || its_least == written - its_last);
        B17_room_if_an_entry_is_free: assert (its_room == (usable && unread <= its_last));
      end
      B17_entry_is_in_the_ring: assert (!usable || entry <= its_last);
      B17_entry_goes_with_the_number: assert (!usable || ((entry ^ written) & ((size & -size) - 32'd1)) == '0);
      B17_as_it_was_set_up: assert (usable == usable_q && base == base_q && size == size_q);
      B17_read_as_it_was_told: assert (sets_q || read == read_q);
      B17_begins_empty: assert (!sets_q || (written == '0 && read == '0 && entry == '0));
      B17_counts_by_one: assert (sets_q || written == written_q + {31'd0, writes_q});
      B17_in_a_circle: assert (sets_q || entry == (!writes_q ? entry_q : entry_q == its_last ? 32'd0 : entry_q + 32'd1));
      B17_as_the_ring_says: assert (ring_i != ring || (room == its_room && address == {base + {27'd0, entry}, 5'd0} && number == its_next));
      C_full: cover (usable && !its_room && size == 32'd3);
      C_around: cover (usable && written == 32'd4 && size == 32'd3 && entry == 32'd1);
    end
  end

endmodule
