// SPDX-License-Identifier: Apache-2.0
// The search of BUF_LIST against its rule, for any list that stays, and any packets: the valid entry of the packet's
// process with the lowest index that holds the first byte; then the last byte, then the rights. Fields are five bits, from
// bit Shift on: an address is near 0 or, with all of its high bits set, near the end of the address space.
module search_proof #(
  parameter int unsigned Shift = 0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        in_valid_i,
  input logic        put_i,
  input logic [4:0]  low_i,
  input logic        high_i,
  input logic [4:0]  length_i,
  input logic        process_i,
  input logic        out_ready_i
);

  localparam int unsigned Buffers = 4;
  localparam int unsigned SearchRate = 2;

  (* anyconst *) logic [4*Buffers-1:0] flags;  // valid, writable, process, root
  (* anyconst *) logic [5*Buffers-1:0] bases;
  (* anyconst *) logic [2*Buffers-1:0] highs;  // near the end of 48 bits, of 64 bits
  (* anyconst *) logic [5*Buffers-1:0] lengths;
  (* anyconst *) logic [Buffers-1:0]   bads;   // not as they were written

  logic [256*Buffers-1:0]    list;
  logic [3:0]                holds, bad_before;
  logic                      bad, bad_expected;
  logic [1:0]                bad_entry, bad_first;
  logic                      in_ready, out_valid, comparing, reads, expected_found, expected_in, writable, root, group;
  cf_nic_rx_pkg::packet_t    in_packet, out_packet;
  cf_nic_rx_pkg::place_t     out_place;
  logic [256*SearchRate-1:0] entries;
  logic [15:0]               next_number, number_q;
  logic [63:0]               first, base, length;
  logic [64:0]               behind;  // the last byte
  logic                      waits_q;
  logic [12:0]               packet_q;

  // An address of 48 bits.
  function [47:0] near(input high, input [4:0] low);
    near = {{43{high}}, low} << Shift;
  endfunction

  for (genvar i = 0; i < 4; i++) begin : gen_entry
    assign list[256*i+:256] = {
      32'b0, 63'b0, flags[4*i+3], 64'(lengths[5*i+:5]) << Shift, {16{highs[2*i+1]}}, near(highs[2*i], bases[5*i+:5]), 15'b0,
      flags[4*i+2], 8'b0, 6'b0, flags[4*i+1], flags[4*i]
    };
    assign holds[i] = list[256*i] && list[256*i+16+:16] == in_packet.process_id && first >= list[256*i+32+:64] &&
                      {1'b0, first} < {1'b0, list[256*i+32+:64]} + {1'b0, list[256*i+96+:64]};
    assign bad_before[i] = bads[i] && list[256*i] && (holds & ((4'd1 << i) - 4'd1)) == '0;
  end
  assign entries = reads ? group ? list[512+:512] : list[0+:512] : '0;

  always_comb begin
    in_packet            = '0;
    in_packet.number     = number_q;
    in_packet.put        = put_i;
    in_packet.length     = 13'(length_i) << Shift;
    in_packet.process_id = {15'b0, process_i};
    in_packet.address    = near(high_i, low_i);
  end

  cf_nic_rx_search #(.Buffers(Buffers), .SearchRate(SearchRate)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_packet_i(in_packet), .out_valid_o(out_valid), .out_ready_i,
    .out_packet_o(out_packet), .out_place_o(out_place), .comparing_o(comparing), .reads_o(reads), .group_o(group), .group_i(entries),
    .bad_i(group ? bads[3:2] & {list[768], list[512]} & {2{reads}} : bads[1:0] & {list[256], list[0]} & {2{reads}}),
    .bad_o(bad), .bad_entry_o(bad_entry), .next_number_o(next_number)
  );

  // The rule, over the whole list. A bad entry is one that counts up to the lowest match.
  assign bad_expected = bad_before != '0;
  always_comb begin
    bad_first = 2'd3;
    for (int unsigned i = 3; i > 0; i--) begin
      if (bad_before[i-1]) begin
        bad_first = 2'(i - 1);
      end
    end
  end

  assign first  = {16'b0, near(high_i, low_i)};
  assign behind = {1'b0, first} + (65'(length_i) << Shift);

  always_comb begin
    expected_found = holds != '0;
    base           = list[256*3+32+:64];
    length         = list[256*3+96+:64];
    writable       = list[256*3+1];
    root           = list[256*3+160];
    for (int unsigned i = 3; i > 0; i--) begin
      if (holds[i-1]) begin
        base     = list[256*(i-1)+32+:64];
        length   = list[256*(i-1)+96+:64];
        writable = list[256*(i-1)+1];
        root     = list[256*(i-1)+160];
      end
    end
    expected_in = behind <= {1'b0, base} + {1'b0, length} && behind <= 65'h1_0000_0000_0000;
  end

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q  <= 1'b0;
      number_q <= '0;
    end else begin
      waits_q <= in_valid_i && !in_ready;
      if (in_valid_i && in_ready) begin
        number_q <= number_q + 16'd1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    packet_q <= {put_i, low_i, high_i, length_i, process_i};
  end

  // A packet stays until it is taken; no buffer reaches beyond 2^64.
  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (waits_q) begin
        assume (in_valid_i && packet_q == {put_i, low_i, high_i, length_i, process_i});
      end
      // While the search works on a packet, the groups that it has passed hold nothing of it.
      B7_in_step: assert (next_number == number_q + {15'd0, in_valid_i && put_i});
      B7_begins_with_the_first_group: assert (!group || (waits_q && put_i));
      B7_ends_with_a_put: assert (!out_valid || in_valid_i);
      B7_nothing_before: assert (!comparing || !group || holds[1:0] == '0);
      if (out_valid && put_i) begin
        B4_found_if_there_is_one: assert (out_packet.dropped || expected_found);
        B4_lowest_match: assert (!expected_found || (out_place.root == {63'b0, root}));
        B5_first_and_last_byte_and_rights: assert (out_packet.dropped == (bad_expected || !(expected_found && expected_in && writable)));
        B23_bad_entry: assert (!bad_expected || out_packet.reason == cf_nic_rx_pkg::ReasonMemory);
        B23_bad_entry_is_told: assert (bad == (bad_expected && out_ready_i) && (!bad_expected || bad_entry == bad_first));
        B5_no_buffer: assert (bad_expected || expected_found || out_packet.reason == cf_nic_rx_pkg::ReasonNoBuffer);
        B5_bounds: assert (bad_expected || !expected_found || expected_in || out_packet.reason == cf_nic_rx_pkg::ReasonBounds);
        B5_access: assert (bad_expected || !expected_found || !expected_in || writable || out_packet.reason == cf_nic_rx_pkg::ReasonAccess);
      end
      C_bad_entry: cover (bad && bad_entry == 2'd3);
      C_bad_entry_behind: cover (out_valid && put_i && !bad_expected && holds[0] && bads[1] && list[256]);
      C_first_match: cover (out_valid && put_i && holds == 4'b1111 && !out_packet.dropped);
      C_last_match: cover (out_valid && put_i && holds == 4'b1000 && !out_packet.dropped);
      C_last_byte: cover (out_valid && put_i && !out_packet.dropped && behind == {1'b0, base} + {1'b0, length});
      C_last_byte_of_memory: cover (out_valid && put_i && !out_packet.dropped && behind == 65'h1_0000_0000_0000);
    end
  end

endmodule
