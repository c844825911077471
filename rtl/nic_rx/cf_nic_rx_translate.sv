// SPDX-License-Identifier: Apache-2.0
// Translates the pages of a put, one after the other: a payload touches two at most. A page that misses is walked, or
// the whole packet is looked up by the core. A packet leaves with all its pages, or as dropped.
//
//   state   | in a cycle                                               | next
//   Look    | no put, or the last page hits: the packet passes on      | Look, the first page
//           | the first of two pages hits                              | Look, the second page
//           | the page misses                                          | Walk, or Core
//   Walk    | the walk ends, and there is another page                 | Look, the second page
//           | it ends with the last page, or an invalid entry: passes  | Look, the first page
//   Core    | the core answers                                         | First
//   First   | the first page enters the TLB, if it missed              | Second
//   Second  | the second page enters the TLB; the packet passes on     | Look, the first page
// What was read before an invalidation serves the packet that waited for it, and does not enter the TLB. Nor does what a core
// answers for a packet whose buffer was found before BUF_LIST was last written: it may be of another root.
`include "cf_assert.svh"

module cf_nic_rx_translate #(
  parameter int unsigned RingWidth = 8  // a packet's ring is less than two to its power
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   by_core_i,      // misses go to the core; constant
  input  logic                   invalidate_i,
  input  logic                   older_i,        // BUF_LIST was written after the packet's buffer was found
  output logic                   quiet_o,        // nothing changes without a packet, or an answer that is waited for
  // packets
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  cf_nic_rx_pkg::packet_t in_packet_i,
  input  logic [2:0]             in_space_i,     // of its buffer
  input  logic [RingWidth-1:0]   in_ring_i,
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output cf_nic_rx_pkg::packet_t out_packet_o,
  output logic [RingWidth-1:0]   out_ring_o,
  output logic [2:0]             out_space_o,
  output cf_nic_rx_pkg::page_t   out_first_o,
  output cf_nic_rx_pkg::page_t   out_second_o,   // if the payload touches two
  // TLBs
  output logic                   lookup_o,       // hit_i is asked for
  output logic                   gpu_o,
  output logic [35:0]            host_number_o,  // of the page that is looked up, if it is the host's
  output logic [31:0]            gpu_number_o,   // if it is a GPU's
  input  logic                   hit_i,
  input  cf_nic_rx_pkg::page_t   page_i,
  output logic                   insert_o,
  output cf_nic_rx_pkg::page_t   insert_page_o,
  // walker
  output logic                   walk_o,
  input  logic                   walked_valid_i,
  output logic                   walked_ready_o,
  input  logic                   walked_found_i,
  input  logic [63:0]            walked_entry_i,
  // core
  output logic                   core_valid_o,
  input  logic                   core_done_i,
  input  logic                   core_dropped_i,
  input  cf_nic_rx_pkg::reason_e core_reason_i,
  input  logic [2:0]             core_space_i,
  input  logic [RingWidth-1:0]   core_ring_i,
  input  logic [127:0]           core_entries_i  // of the last level, for both pages
);

  typedef enum logic [2:0] {
    Look   = 3'd0,
    Walk   = 3'd1,
    Core   = 3'd2,
    First  = 3'd3,
    Second = 3'd4
  } state_e;

  state_e               state_d, state_q;
  logic                 second_d, second_q;    // the page that is looked up
  logic                 stale_d, stale_q;      // what is read now must not enter the TLB
  logic                 put, two, last, one_missed_d, one_missed_q, insert;
  logic                 core_keep_d, core_keep_q, core_dropped_q;
  logic [16:0]          last_byte;
  logic [35:0]          first_number, second_number_q;  // of pages; the second one a cycle before it is looked up
  cf_nic_rx_pkg::page_t first_d, first_q, core_second_q, found;
  cf_nic_rx_pkg::reason_e core_reason_q;
  logic [2:0]           core_space_q;
  logic [RingWidth-1:0] core_ring_q;

  assign put       = in_packet_i.put && !in_packet_i.dropped;
  assign gpu_o     = in_space_i != '0;
  assign last_byte = in_packet_i.address[16:0] + {4'd0, in_packet_i.length} - 17'd1;

  always_comb begin
    first_number = in_packet_i.address[47:12];
    two          = last_byte[12] != in_packet_i.address[12];
    if (gpu_o) begin
      first_number = {4'b0, in_packet_i.address[47:16]};
      two          = last_byte[16] != in_packet_i.address[16];
    end
  end

  always_comb begin
    host_number_o = in_packet_i.address[47:12];
    gpu_number_o  = in_packet_i.address[47:16];
    if (second_q) begin
      host_number_o = second_number_q;
      gpu_number_o  = second_number_q[31:0];
    end
  end

  assign last = second_q || !two;

  always_ff @(posedge clk_i) begin
    if (second_d && !second_q) begin
      second_number_q <= first_number + 36'd1;
    end
  end

  // An entry of the last level as a page.
  logic [63:0] leaf_entry, core_second_entry;
  assign leaf_entry        = state_q == Walk ? walked_entry_i : core_entries_i[63:0];
  assign core_second_entry = core_entries_i[127:64];
  logic unused_bits;
  assign unused_bits = ^{last_byte, leaf_entry, core_second_entry};

  always_comb begin
    found.page  = leaf_entry[63:12];
    found.token = '0;
    if (state_q == Walk ? gpu_o : core_space_i != '0) begin
      found.page[3:0] = '0;
      found.token     = leaf_entry[15:1];
    end
  end

  always_comb begin
    state_d        = state_q;
    second_d       = second_q;
    first_d        = first_q;
    stale_d        = stale_q || invalidate_i;
    one_missed_d   = one_missed_q;
    core_keep_d    = core_keep_q;
    out_valid_o    = 1'b0;
    walk_o         = 1'b0;
    walked_ready_o = 1'b0;
    insert         = 1'b0;
    unique case (state_q)
      Look: begin
        stale_d = 1'b0;
        if (in_valid_i) begin
          if (!put || (hit_i && last)) begin
            out_valid_o = 1'b1;
          end else if (hit_i) begin
            second_d = 1'b1;
            first_d  = page_i;
          end else if (by_core_i) begin
            state_d      = Core;
            one_missed_d = !second_q;
            second_d     = 1'b0;
          end else begin
            state_d = Walk;
            walk_o  = 1'b1;
          end
        end
      end
      Walk: begin
        if (walked_valid_i) begin
          if (!walked_found_i || last) begin
            out_valid_o    = 1'b1;
            walked_ready_o = out_ready_i;
            insert         = walked_found_i && out_ready_i;
          end else begin
            walked_ready_o = 1'b1;
            insert         = 1'b1;
            second_d       = 1'b1;
            first_d        = found;
            state_d        = Look;
            stale_d        = 1'b0;
          end
        end
      end
      Core: begin
        if (core_done_i) begin
          state_d     = First;
          first_d     = found;
          core_keep_d = !core_dropped_i && core_space_i == in_space_i && !older_i;
        end
      end
      First: begin
        state_d  = Second;
        second_d = 1'b1;
        insert   = core_keep_q && one_missed_q;
      end
      default: begin
        out_valid_o = 1'b1;
        insert      = core_keep_q && two && !hit_i && out_ready_i;
      end
    endcase
    if (out_valid_o && out_ready_i) begin
      state_d  = Look;
      second_d = 1'b0;
      stale_d  = 1'b0;
    end
  end

  // A page that is inserted is looked up, too: it must not be there.
  always_comb begin
    unique case (state_q)
      Look:    lookup_o = in_valid_i && put;
      Walk:    lookup_o = walked_valid_i;
      Core:    lookup_o = 1'b0;
      default: lookup_o = 1'b1;
    endcase
  end

  assign core_valid_o = state_q == Core;
  assign in_ready_o   = out_valid_o && out_ready_i;
  assign insert_o     = insert && !stale_q && !invalidate_i;

  always_comb begin
    unique case (state_q)
      First:   insert_page_o = first_q;  // not in Core: the bus would be in front of the TLB's choice
      Second:  insert_page_o = core_second_q;
      default: insert_page_o = found;
    endcase
  end

  always_comb begin
    out_packet_o = '0;
    out_ring_o   = in_ring_i;
    out_space_o  = in_space_i;
    out_first_o  = '0;
    out_second_o = '0;
    if (out_valid_o) begin
      out_packet_o = in_packet_i;
      out_first_o  = first_q;
      out_second_o = page_i;
      if (state_q == Walk) begin
        out_second_o = found;
        out_packet_o.dropped = !walked_found_i;
        out_packet_o.reason  = cf_nic_rx_pkg::ReasonTranslation;  // of no meaning without a drop
      end
      if (!second_q) begin
        out_first_o = out_second_o;
      end
      if (state_q == Second) begin
        out_second_o         = core_second_q;
        out_ring_o           = core_ring_q;
        out_space_o          = core_space_q;
        out_packet_o.dropped = core_dropped_q;
        out_packet_o.reason  = core_reason_q;
      end
    end
  end

  always_comb begin
    unique case (state_q)
      Look:    quiet_o = !in_valid_i;
      Walk:    quiet_o = !walked_valid_i;
      Core:    quiet_o = 1'b1;
      default: quiet_o = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= Look;
      second_q       <= 1'b0;
      stale_q        <= 1'b0;
      first_q        <= '0;
      one_missed_q   <= 1'b0;
      core_keep_q    <= 1'b0;
      core_second_q  <= '0;
      core_dropped_q <= 1'b0;
      core_reason_q  <= cf_nic_rx_pkg::ReasonFraming;
      core_space_q   <= '0;
      core_ring_q    <= '0;
    end else begin
      state_q      <= state_d;
      second_q     <= second_d;
      stale_q      <= stale_d;
      first_q      <= first_d;
      one_missed_q <= one_missed_d;
      core_keep_q  <= core_keep_d;
      if (core_valid_o && core_done_i) begin
        core_dropped_q      <= core_dropped_i;
        core_reason_q       <= core_reason_i;
        core_space_q        <= core_space_i;
        core_ring_q         <= core_ring_i;
        core_second_q.page  <= core_second_entry[63:12] & {{48{1'b1}}, {4{core_space_i == '0}}};
        core_second_q.token <= core_second_entry[15:1] & {15{core_space_i != '0}};
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_STABLE(B21_pages_until_taken, out_valid_o && !out_ready_i && !invalidate_i, {out_valid_o, out_packet_o})
  `CF_WHERE(B9_token_of_a_gpu, out_valid_o && out_space_o == '0, {out_first_o.token, out_second_o.token} == '0)
  `CF_NEVER(B8_old_translation_kept, insert_o && (stale_q || invalidate_i))
  `CF_NEVER(B11_passes_while_it_misses, out_valid_o && state_q == Look && put && !hit_i)
  `CF_NEVER_WHERE(B10_walk_of_a_page_that_hits, walk_o, hit_i)
  `CF_COVER(B9_second_page_misses, state_q == Look && in_valid_i && put && second_q && !hit_i)
  `CF_COVER(B9_second_page_hits, state_q == Look && in_valid_i && put && second_q && hit_i)
  `CF_COVER(B8_invalidate_during_walk, state_q == Walk && invalidate_i)
  `CF_COVER(B8_not_kept, insert && !insert_o)

endmodule
