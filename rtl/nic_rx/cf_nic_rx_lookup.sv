// SPDX-License-Identifier: Apache-2.0
// From checked packets to packets with their pages: BUF_LIST and its search, the TLBs and their walker. The two stages
// work on different packets; each has a queue for all packets of the datapath.
module cf_nic_rx_lookup #(
  parameter int unsigned Packets = 16,
  parameter int unsigned Buffers = 64,
  parameter int unsigned SearchRate = 8,  // entries of BUF_LIST compared in a cycle
  parameter int unsigned Rings = 16,      // an entry with another one is not valid
  parameter int unsigned HostTlb = 32,    // pages
  parameter int unsigned GpuTlb = 32,
  localparam int unsigned Groups = Buffers / SearchRate,
  localparam int unsigned GroupWidth = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned IndexWidth = Buffers > 1 ? $clog2(Buffers) : 1,
  localparam int unsigned RingWidth = Rings > 1 ? $clog2(Rings) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   by_core_i,
  output logic                   quiet_o,         // without an input, no register changes with the next edge
  // packets
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  cf_nic_rx_pkg::packet_t in_packet_i,
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output cf_nic_rx_pkg::packet_t out_packet_o,
  output logic [RingWidth-1:0]   out_ring_o,
  output logic [2:0]             out_space_o,
  output cf_nic_rx_pkg::page_t   out_first_o,
  output cf_nic_rx_pkg::page_t   out_second_o,
  // BUF_LIST
  output logic                   list_busy_o,     // must not be written
  input  logic                   list_clear_i,
  input  logic                   list_write_i,
  input  logic [IndexWidth-1:0]  list_index_i,    // of the write
  input  logic [7:0]             list_mask_i,
  input  logic [255:0]           list_data_i,
  input  logic                   list_read_i,
  input  logic [IndexWidth-1:0]  list_read_index_i,
  input  logic [2:0]             list_read_word_i,
  output logic [31:0]            list_read_data_o,
  output logic                   list_read_bad_o, // it is not as it was written
  output logic                   list_bad_o,      // a packet is dropped for a bad entry
  output logic [IndexWidth-1:0]  list_bad_entry_o,
  // removal of translations
  input  logic                   invalidate_i,
  input  logic                   invalidate_all_i,
  input  logic [63:0]            invalidate_root_i,
  output logic [15:0]            searched_o,      // packets before it have, or get, their buffer
  // page tables
  output logic                   table_valid_o,
  input  logic                   table_ready_i,
  output logic [63:0]            table_address_o,
  input  logic                   entry_valid_i,
  input  logic [63:0]            entry_i,
  // the core
  output logic                   core_valid_o,
  output cf_nic_rx_pkg::packet_t core_packet_o,
  input  logic                   core_done_i,
  input  logic                   core_dropped_i,
  input  cf_nic_rx_pkg::reason_e core_reason_i,
  input  logic [2:0]             core_space_i,
  input  logic [RingWidth-1:0]   core_ring_i,
  input  logic [127:0]           core_entries_i
);

  cf_nic_rx_pkg::packet_t    waiting, searched, translating;
  cf_nic_rx_pkg::place_t     searched_place, place;
  cf_nic_rx_pkg::page_t      host_page, gpu_page, page, insert_page;
  logic                      waiting_valid, waiting_ready, searched_valid, searched_ready, valid, ready;
  logic [GroupWidth-1:0]     group;
  logic [256*SearchRate-1:0] entries;
  logic [SearchRate-1:0]     bad;
  logic                      translate_quiet, walker_quiet;
  logic                      lookup, comparing, reads, gpu, host_hit, gpu_hit, hit, insert, walk, walked_valid, walked_ready;
  logic                      walked_found;
  logic [35:0]               host_number;
  logic [31:0]               gpu_number;
  logic [63:0]               walked_entry;

  logic invalidate;
  assign invalidate = invalidate_i || invalidate_all_i;

  // --- search
  cf_fifo #(.Width($bits(in_packet_i)), .Depth(Packets)) u_checked (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o, .in_data_i(in_packet_i), .out_valid_o(waiting_valid),
    .out_ready_i(waiting_ready), .out_data_o(waiting)
  );

  cf_nic_rx_buf_list #(.Buffers(Buffers), .SearchRate(SearchRate), .Rings(Rings)) u_list (
    .clk_i, .rst_ni, .clear_i(list_clear_i), .write_i(list_write_i), .write_index_i(list_index_i),
    .write_mask_i(list_mask_i), .write_data_i(list_data_i), .read_i(list_read_i), .read_index_i(list_read_index_i),
    .read_word_i(list_read_word_i), .read_data_o(list_read_data_o), .read_bad_o(list_read_bad_o), .compare_i(reads),
    .group_i(group), .group_o(entries), .bad_o(bad)
  );

  cf_nic_rx_search #(.Buffers(Buffers), .SearchRate(SearchRate)) u_search (
    .clk_i, .rst_ni, .in_valid_i(waiting_valid), .in_ready_o(waiting_ready), .in_packet_i(waiting),
    .out_valid_o(searched_valid), .out_ready_i(searched_ready), .out_packet_o(searched), .out_place_o(searched_place),
    .comparing_o(comparing), .reads_o(reads), .group_o(group), .group_i(entries), .bad_i(bad), .bad_o(list_bad_o),
    .bad_entry_o(list_bad_entry_o), .next_number_o(searched_o)
  );

  // Whether the packet that is translated was searched before the core last wrote the list; it is told by the packet's number,
  // until one comes that was searched later.
  logic        older, older_q, later;
  logic [15:0] written_q;
  assign later = translating.number - written_q < 16'h8000;
  assign older = older_q && !later;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      older_q   <= 1'b0;
      written_q <= '0;
    end else if (list_write_i && by_core_i) begin
      older_q   <= 1'b1;
      written_q <= searched_o;
    end else if (valid && ready && later) begin
      older_q <= 1'b0;
    end
  end

  // --- translate
  cf_fifo #(.Width($bits(searched) + $bits(searched_place)), .Depth(Packets)) u_searched (
    .clk_i, .rst_ni, .in_valid_i(searched_valid), .in_ready_o(searched_ready), .in_data_i({searched_place, searched}),
    .out_valid_o(valid), .out_ready_i(ready), .out_data_o({place, translating})
  );

  cf_nic_rx_translate #(.RingWidth(RingWidth)) u_translate (
    .clk_i, .rst_ni, .by_core_i, .quiet_o(translate_quiet), .invalidate_i(invalidate),
    .older_i(older), .in_valid_i(valid),
    .in_ready_o(ready), .in_packet_i(translating), .in_space_i(place.space), .in_ring_i(place.ring[RingWidth-1:0]), .out_valid_o,
    .out_ready_i, .out_packet_o, .out_ring_o, .out_space_o, .out_first_o, .out_second_o, .lookup_o(lookup), .gpu_o(gpu),
    .host_number_o(host_number), .gpu_number_o(gpu_number), .hit_i(hit), .page_i(page),
    .insert_o(insert), .insert_page_o(insert_page), .walk_o(walk), .walked_valid_i(walked_valid),
    .walked_ready_o(walked_ready), .walked_found_i(walked_found),
    .walked_entry_i(walked_entry), .core_valid_o, .core_done_i, .core_dropped_i, .core_reason_i, .core_space_i,
    .core_ring_i, .core_entries_i
  );

  cf_nic_rx_tlb #(.Entries(HostTlb)) u_host_tlb (
    .clk_i, .rst_ni, .lookup_i(lookup && !gpu), .root_i(place.root), .number_i(host_number), .hit_o(host_hit),
    .page_o(host_page),
    .insert_i(insert && !gpu), .insert_page_i(insert_page), .invalidate_i(invalidate), .invalidate_all_i,
    .invalidate_root_i
  );

  cf_nic_rx_tlb #(.Entries(GpuTlb), .Gpu(1'b1)) u_gpu_tlb (
    .clk_i, .rst_ni, .lookup_i(lookup && gpu), .root_i(place.root), .number_i(gpu_number), .hit_o(gpu_hit),
    .page_o(gpu_page),
    .insert_i(insert && gpu), .insert_page_i(insert_page), .invalidate_i(invalidate), .invalidate_all_i,
    .invalidate_root_i
  );

  always_comb begin
    hit  = host_hit;
    page = host_page;
    if (gpu) begin
      hit  = gpu_hit;
      page = gpu_page;
    end
  end

  cf_nic_rx_walker u_walker (
    .clk_i, .rst_ni, .quiet_o(walker_quiet), .start_i(walk), .gpu_i(gpu), .root_i(place.root), .host_number_i(host_number),
    .gpu_number_i(gpu_number),
    .done_valid_o(walked_valid),
    .done_ready_i(walked_ready), .found_o(walked_found), .entry_o(walked_entry), .table_valid_o, .table_ready_i,
    .table_address_o, .entry_valid_i, .entry_i
  );

  assign quiet_o       = !waiting_valid && translate_quiet && walker_quiet;
  assign list_busy_o   = comparing;
  assign core_packet_o = translating;

endmodule
