// SPDX-License-Identifier: Apache-2.0
// Translation with its TLB of one page and its walker, over page tables that the driver changes once, at any time, and
// invalidates then, by their root or with all others: a packet that comes after that has pages of the changed tables alone.
// Earlier ones may have either; their writes end before the invalidation is acknowledged (proof `fence`). Pages are two, of
// the host's space and one table; every entry of it names the version that it was read from.
// With ByCore a core answers misses, of either space, as it likes, and it may be that BUF_LIST was written: pages are any then.
module translate_proof #(
  parameter bit ByCore = 1'b0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       in_valid_i,
  input logic       put_i,
  input logic       page_i,
  input logic       near_end_i,
  input logic       length_i,
  input logic       out_ready_i,
  input logic       change_i,
  input logic       invalidate_i,
  input logic       all_i,
  input logic       table_ready_i,
  input logic       entry_valid_i,
  input logic       present_i,
  input logic       gpu_i,
  input logic       older_i,
  input logic [127:0] core_entries_i,
  input logic       core_done_i,
  input logic       core_dropped_i,
  input logic       core_gpu_i
);

  cf_nic_rx_pkg::packet_t packet, out_packet;
  cf_nic_rx_pkg::page_t   first, second, page, host_page, gpu_page, insert_page;
  logic                   in_ready, out_valid, lookup, gpu, hit, host_hit, gpu_hit, insert, walk, walked_valid, walked_ready, walked_found;
  logic [35:0]            host_number;
  logic [31:0]            gpu_number;
  logic [63:0]            walked_entry;
  logic                   waits_q, changed_q, fresh_q, of_fresh_q, is_fresh, two;
  logic                   core, older_q;  // the core has answered for an older list
  logic [4:0]             packet_q;

  always_comb begin
    packet         = '0;
    packet.put     = put_i;
    packet.address = {35'b0, page_i, {12{near_end_i}}};
    packet.length  = {12'b0, length_i} + 13'd1;
  end
  assign two = near_end_i && length_i;

  cf_nic_rx_translate u_dut (
    .clk_i, .rst_ni, .by_core_i(ByCore), .invalidate_i, .older_i(ByCore && older_i), .quiet_o(), .in_valid_i, .in_ready_o(in_ready),
    .in_packet_i(packet), .in_space_i({2'd0, ByCore && gpu_i}), .in_ring_i(8'd0), .out_valid_o(out_valid), .out_ready_i,
    .out_packet_o(out_packet), .out_ring_o(), .out_space_o(), .out_first_o(first), .out_second_o(second),
    .lookup_o(lookup), .gpu_o(gpu), .host_number_o(host_number), .gpu_number_o(gpu_number), .hit_i(hit), .page_i(page), .insert_o(insert),
    .insert_page_o(insert_page), .walk_o(walk), .walked_valid_i(walked_valid), .walked_ready_o(walked_ready),
    .walked_found_i(walked_found), .walked_entry_i(walked_entry), .core_valid_o(core), .core_done_i(core && core_done_i),
    .core_dropped_i, .core_reason_i(cf_nic_rx_pkg::ReasonFraming), .core_space_i({2'd0, core_gpu_i}), .core_ring_i(8'd0),
    .core_entries_i(core_entries_i & {128{ByCore}})
  );

  cf_nic_rx_tlb #(.Entries(1)) u_tlb (
    .clk_i, .rst_ni, .lookup_i(lookup && !gpu), .root_i(64'd0), .number_i(host_number), .hit_o(host_hit), .page_o(host_page),
    .insert_i(insert && !gpu), .insert_page_i(insert_page), .invalidate_i, .invalidate_all_i(all_i),
    .invalidate_root_i({63'd0, all_i})
  );

  cf_nic_rx_tlb #(.Entries(1), .Gpu(1'b1)) u_gpu_tlb (
    .clk_i, .rst_ni, .lookup_i(lookup && gpu), .root_i(64'd0), .number_i(gpu_number), .hit_o(gpu_hit), .page_o(gpu_page),
    .insert_i(insert && gpu), .insert_page_i(insert_page), .invalidate_i, .invalidate_all_i(all_i),
    .invalidate_root_i({63'd0, all_i})
  );

  assign hit  = gpu ? gpu_hit : host_hit;
  assign page = gpu ? gpu_page : host_page;

  cf_nic_rx_walker u_walker (
    .clk_i, .rst_ni, .quiet_o(), .start_i(walk), .gpu_i(gpu), .root_i(64'd0),
    .host_number_i(host_number), .gpu_number_i(gpu_number),
    .done_valid_o(walked_valid), .done_ready_i(walked_ready), .found_o(walked_found), .entry_o(walked_entry),
    .table_valid_o(), .table_ready_i, .table_address_o(), .entry_valid_i,
    .entry_i({51'd0, changed_q, 11'd0, present_i})
  );

  assign is_fresh = waits_q ? of_fresh_q : fresh_q;

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q    <= 1'b0;
      changed_q  <= 1'b0;
      fresh_q    <= 1'b0;
      of_fresh_q <= 1'b0;
      older_q    <= 1'b0;
    end else begin
      older_q    <= core ? core_done_i && older_i : older_q && !(out_valid && out_ready_i);
      waits_q    <= in_valid_i && !in_ready;
      changed_q  <= changed_q || change_i;
      fresh_q    <= fresh_q || (changed_q && invalidate_i);
      of_fresh_q <= is_fresh;
    end
  end
  always_ff @(posedge clk_i) begin
    packet_q <= {put_i, page_i, near_end_i, length_i, gpu_i};
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!waits_q || (in_valid_i && packet_q == {put_i, page_i, near_end_i, length_i, gpu_i}));
      if (out_valid && put_i && !out_packet.dropped && is_fresh) begin
        B8_first_page_of_the_changed_table: assert (first.page == 52'd1);
        B8_second_page_of_the_changed_table: assert (!two || second.page == 52'd1);
      end
      B10_a_walk_ends_before_the_next: assert (!(walk && walked_valid));
      C_fresh_after_old: cover (out_valid && out_ready_i && put_i && !out_packet.dropped && is_fresh && hit);
      B8_answer_for_an_older_list_is_not_kept: assert (!(older_q && insert));
      C_core_second_page_kept: cover (ByCore && insert && out_valid);
      C_core_answer_kept: cover (ByCore && insert && !out_valid);
    end
  end

endmodule
