// SPDX-License-Identifier: Apache-2.0
// Search, translation, TLBs and walker together, with any packets, any BUF_LIST, and room behind them, as there is for all
// packets of the datapath. In a cycle with quiet_o in which nothing comes, `still`, no register changes. No deadlock: it
// rests only if no packet is inside, or the table memory or the core owes an answer. Each packet leaves once, in order.
module lookup_proof #(
  parameter int unsigned Packets = 2,
  parameter int unsigned Buffers = 2,
  parameter int unsigned SearchRate = 1,
  parameter int unsigned HostTlb = 1,
  parameter int unsigned GpuTlb = 1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         by_core_i,
  input logic         in_valid_i,
  input logic         put_i,
  input logic         dropped_i,
  input logic [3:0]   low_i,
  input logic         near_end_i,
  input logic [3:0]   length_i,
  input logic         list_clear_i,
  input logic         list_write_i,
  input logic         list_index_i,
  input logic [7:0]   list_mask_i,
  input logic [255:0] list_data_i,
  input logic         invalidate_i,
  input logic         table_ready_i,
  input logic         entry_valid_i,
  input logic         present_i,
  input logic         core_done_i,
  input logic         core_dropped_i
);

  cf_nic_rx_pkg::packet_t packet, out_packet;
  logic                   in_ready, out_valid, table_valid, core_valid, quiet, still, still_q, reading_q, by_core_q, busy;
  logic [1:0]             number_q, left_q;  // packets that came and that left, of which two at most are inside
  logic [1:0]             inside_q;

  always_comb begin
    packet         = '0;
    packet.number  = {14'd0, number_q};
    packet.put     = put_i;
    packet.dropped = dropped_i;
    packet.length  = {9'b0, length_i};
    packet.address = {32'b0, {12{near_end_i}}, low_i};
  end

  cf_nic_rx_lookup #(
    .Packets(Packets), .Buffers(Buffers), .SearchRate(SearchRate), .HostTlb(HostTlb), .GpuTlb(GpuTlb)
  ) u_dut (
    .clk_i, .rst_ni, .by_core_i(by_core_q), .quiet_o(quiet), .in_valid_i, .in_ready_o(in_ready), .in_packet_i(packet),
    .out_valid_o(out_valid), .out_ready_i(1'b1), .out_packet_o(out_packet), .out_ring_o(), .out_space_o(), .out_first_o(),
    .out_second_o(), .list_busy_o(busy), .list_clear_i, .list_write_i, .list_index_i, .list_mask_i, .list_data_i,
    .list_read_i(1'b0), .list_read_index_i(1'b0), .list_read_word_i(3'd0), .list_read_data_o(), .invalidate_i,
    .invalidate_all_i(1'b0), .invalidate_root_i(64'd0), .searched_o(), .table_valid_o(table_valid), .table_ready_i,
    .table_address_o(), .entry_valid_i, .entry_i({63'd0, present_i}), .core_valid_o(core_valid), .core_packet_o(),
    .core_done_i(core_done_i && core_valid), .core_dropped_i, .core_reason_i(cf_nic_rx_pkg::ReasonNoBuffer),
    .core_space_i(3'd0), .core_ring_i(4'd0), .core_entries_i(128'd0)
  );

  assign still = quiet && !in_valid_i && !list_clear_i && !list_write_i && !invalidate_i &&
                 !(table_valid && table_ready_i) && !entry_valid_i && !(core_valid && core_done_i);

  initial assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      by_core_q <= by_core_i;  // constant while it runs
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q  <= '0;
      left_q    <= '0;
      inside_q  <= '0;
      reading_q <= 1'b0;
      still_q   <= 1'b0;
    end else begin
      number_q  <= number_q + {1'b0, in_valid_i && in_ready};
      left_q    <= left_q + {1'b0, out_valid};
      inside_q  <= inside_q + {1'b0, in_valid_i && in_ready} - {1'b0, out_valid};
      reading_q <= (reading_q || (table_valid && table_ready_i)) && !entry_valid_i;
      still_q   <= still;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!(in_valid_i && inside_q == 2'd2));
      assume (!(put_i && dropped_i));
      assume (!(busy && (list_write_i || list_clear_i)));
      B22_lookup_rests_for_others_only: assert (!quiet || inside_q == '0 || table_valid || reading_q || core_valid);
      B21_lookup_has_room: assert (in_ready || inside_q == 2'd2);
      B21_lookup_stays_quiet: assert (!still_q || quiet);
      B21_lookup_quietly_shows_none: assert (!(still && out_valid));
      B22_lookup_in_order: assert (!out_valid || (inside_q != '0 && out_packet.number == {14'd0, left_q}));
      C_still: cover (still && inside_q == 2'd2 && table_valid);
      C_core: cover (still && inside_q == 2'd2 && core_valid);
    end
  end

endmodule
