// SPDX-License-Identifier: Apache-2.0
// Finds the buffer of a put in BUF_LIST: the valid entry of its process, with the lowest index, that holds its first
// byte.
//
//   state     | in a cycle                                                         | next
//   Comparing | a packet that is no put passes on                                  | Comparing
//             | a group of entries is compared; one matches, or it is the last one | Bounds
//             | the same; none matches                                             | Comparing, the next group
//   Bounds    | last byte and rights of the entry found; the packet passes on      | Comparing, the first group
// The entry found is kept when it is compared: what is written to the list later does not change the result. While
// comparing_o is high the list must not be written. What a bad entry was before its bits changed is not known, so it might
// have held the packet. A packet is dropped if a bad entry is among those from the first to the one found; if none is found,
// if one is in the whole list. The index of the bad entry is known a cycle after that entry was compared.
`include "cf_assert.svh"

module cf_nic_rx_search #(
  parameter int unsigned Buffers = 64,
  parameter int unsigned SearchRate = 8,
  localparam int unsigned Groups = Buffers / SearchRate,
  localparam int unsigned GroupWidth = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned IndexWidth = Buffers > 1 ? $clog2(Buffers) : 1
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // packets
  input  logic                      in_valid_i,
  output logic                      in_ready_o,
  input  cf_nic_rx_pkg::packet_t    in_packet_i,
  output logic                      out_valid_o,
  input  logic                      out_ready_i,
  output cf_nic_rx_pkg::packet_t    out_packet_o,
  output cf_nic_rx_pkg::place_t     out_place_o,   // of a put that is not dropped
  // BUF_LIST
  output logic                      comparing_o,
  output logic                      reads_o,       // early in a cycle: group_i is asked for, or would be if a put were there
  output logic [GroupWidth-1:0]     group_o,
  input  logic [256*SearchRate-1:0] group_i,
  input  logic [SearchRate-1:0]     bad_i,         // entries of the group that are not as they were written
  output logic                      bad_o,         // a packet passes that is dropped for a bad entry
  output logic [IndexWidth-1:0]     bad_entry_o,   // the first one
  // for invalidation
  output logic [15:0]               next_number_o  // packets before it have their buffer, or get it now
);

  localparam int unsigned LastGroup = Groups - 1;

  typedef enum logic [0:0] {
    Comparing = 1'd0,
    Bounds    = 1'd1
  } state_e;

  state_e                state_d, state_q;
  logic [GroupWidth-1:0] group_d, group_q;
  logic [SearchRate-1:0] match;
  logic                  any, holds_last, pass;
  logic [47:0]           base_found, base_q;      // of the buffer
  logic [47:0]           length_found, length_q;  // less whole address spaces
  logic                  long_found, long_q;      // it is at least as long as the address space
  logic [15:0]           next_q;
  logic                  found_q, writable_found, writable_q;
  cf_nic_rx_pkg::place_t place_found, place_q;

  for (genvar i = 0; i < SearchRate; i++) begin : gen_compare
    cf_nic_rx_match u_match (
      .compare_i(comparing_o), .entry_i(group_i[256*i+:256]), .process_i(in_packet_i.process_id),
      .address_i(in_packet_i.address),
      .match_o(match[i])
    );
  end

  assign any = match != '0;

  // Bad entries: of the group compared last, up to the one that matched there; of those before.
  logic [SearchRate-1:0] bad_q, match_q;
  logic [GroupWidth-1:0] compared_q;
  logic                  bad, before_q;
  logic [IndexWidth-1:0] bad_entry, before_entry_q;

  always_comb begin
    bad       = before_q;
    bad_entry = before_entry_q;
    if (bad_q != '0) begin
      for (int unsigned i = 0; i < SearchRate; i++) begin
        if (bad_q[i] && !bad && (match_q & ((SearchRate'(1) << i) - SearchRate'(1))) == '0) begin
          bad       = 1'b1;
          bad_entry = IndexWidth'(SearchRate * 32'(compared_q) + i);
        end
      end
    end
  end

  assign bad_o       = in_ready_o && bad;  // only puts are compared
  assign bad_entry_o = bad_entry;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bad_q    <= '0;
      before_q <= 1'b0;
    end else if (comparing_o) begin
      bad_q    <= bad_i;
      before_q <= bad;
    end else if (in_ready_o) begin
      bad_q    <= '0;
      before_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (comparing_o) begin
      match_q        <= match;
      compared_q     <= group_q;
      before_entry_q <= bad_entry;
    end
  end

  // The entry that matches, with the lowest index.
  always_comb begin
    place_found    = '0;
    base_found     = '0;
    length_found   = '0;
    long_found     = 1'b0;
    writable_found = 1'b0;
    if (any) begin
      for (int unsigned i = 0; i < SearchRate; i++) begin
        if (match[i] && (match & ((SearchRate'(1) << i) - SearchRate'(1))) == '0) begin
          place_found.root  = group_i[256*i+160+:64];
          place_found.ring  = group_i[256*i+8+:8];
          place_found.space = group_i[256*i+2+:3];
          writable_found    = group_i[256*i+1];
          base_found        = group_i[256*i+32+:48];
          length_found      = group_i[256*i+96+:48];
          long_found        = group_i[256*i+144+:16] != '0;
        end
      end
    end
  end

  assign comparing_o = in_valid_i && in_packet_i.put && state_q == Comparing;
  assign reads_o     = state_q == Comparing;
  assign pass        = in_valid_i && !in_packet_i.put;
  assign group_o     = group_q;

  always_comb begin
    state_d     = state_q;
    group_d     = group_q;
    out_valid_o = pass;
    unique case (state_q)
      Comparing: begin
        if (comparing_o) begin
          if (any || group_q == GroupWidth'(LastGroup)) begin
            state_d = Bounds;
          end else begin
            group_d = group_q + GroupWidth'(1);
          end
        end
      end
      Bounds: begin
        out_valid_o = 1'b1;
        if (out_ready_i) begin
          state_d = Comparing;
          group_d = '0;
        end
      end
      default: ;
    endcase
  end

  assign in_ready_o = out_valid_o && out_ready_i;

  // The last byte is in the buffer, which holds the first one, and in the address space.
  logic [48:0] end_address, end_of_buffer;
  assign end_address   = {1'b0, in_packet_i.address} + {36'd0, in_packet_i.length};
  assign end_of_buffer = {1'b0, base_q} + {1'b0, length_q};
  assign holds_last    = (long_q || end_address <= end_of_buffer) && end_address <= 49'h1_0000_0000_0000;

  always_comb begin
    out_packet_o = '0;
    if (out_valid_o) begin
      out_packet_o = in_packet_i;
      out_packet_o.reason[3] = 1'b0;  // drops of the check have one of the first eight
    end
    if (out_valid_o && in_packet_i.put) begin
      out_packet_o.dropped = bad || !found_q || !holds_last || !writable_q;
      out_packet_o.reason  = cf_nic_rx_pkg::ReasonAccess;
      if (bad) begin
        out_packet_o.reason = cf_nic_rx_pkg::ReasonMemory;
      end else if (!found_q) begin
        out_packet_o.reason = cf_nic_rx_pkg::ReasonNoBuffer;
      end else if (!holds_last) begin
        out_packet_o.reason = cf_nic_rx_pkg::ReasonBounds;
      end
    end
  end

  assign out_place_o   = place_q;
  assign next_number_o = next_q + {15'd0, in_valid_i && in_packet_i.put};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Comparing;
      group_q    <= '0;
      found_q    <= 1'b0;
      writable_q <= 1'b0;
      base_q     <= '0;
      length_q   <= '0;
      long_q     <= 1'b0;
      place_q    <= '0;
      next_q     <= '0;
    end else begin
      state_q <= state_d;
      group_q <= group_d;
      if (in_ready_o) begin
        next_q <= next_q + 16'd1;
      end
      if (comparing_o) begin
        found_q    <= any;
        writable_q <= writable_found;
        base_q     <= base_found;
        length_q   <= length_found;
        long_q     <= long_found;
        place_q    <= place_found;
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_WHERE(B6_compared_group_is_read, comparing_o, reads_o)
  `CF_NEXT(B7_ends_with_the_list, comparing_o && group_q == GroupWidth'(LastGroup), state_q == Bounds)
  `CF_WHERE(B7_bounds_of_a_put, state_q == Bounds, in_valid_i && in_packet_i.put)
  `CF_WHERE(B19_searched_in_order, in_valid_i, in_packet_i.number == next_q)
  `CF_NEVER_WHERE(B5_accepted_without_match, out_valid_o && out_packet_o.put && !out_packet_o.dropped,
                  !(found_q && holds_last && writable_q))
  `CF_WHERE(B23_bad_entry_drops, bad_o, out_packet_o.dropped && out_packet_o.reason == cf_nic_rx_pkg::ReasonMemory)
  `CF_NEVER(B23_bad_entry_of_another_packet, state_q == Comparing && group_q == '0 && (before_q || bad_q != '0))
  `CF_STABLE(B21_found_until_taken, out_valid_o && !out_ready_i, {out_valid_o, out_packet_o})
  `CF_COVER(B4_several_match, comparing_o && (match & (match - SearchRate'(1))) != '0)
  `CF_COVER(B5_last_byte_of_buffer, state_q == Bounds && found_q && end_address == end_of_buffer)
  `CF_COVER(B23_bad_entry_behind_the_match, out_valid_o && in_packet_i.put && bad_q != '0 && !bad)
  `CF_COVER(B23_bad_entry_in_an_earlier_group, bad_o && before_q)
  `CF_COVER(B23_bad_entry_and_no_match, bad_o && !found_q)
  `CF_COVER(B7_none_in_list, comparing_o && !any && group_q == GroupWidth'(LastGroup))

endmodule
