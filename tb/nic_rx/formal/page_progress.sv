// SPDX-License-Identifier: Apache-2.0
// Progress of translation with its TLB and walker: if the table memory takes each read, and answers it, within Wait more
// cycles, if the core answers within Wait, and the stage behind takes within Wait, a packet leaves within Most cycles.
// Invalidations come at any time.
module page_progress #(
  parameter int unsigned Wait = 2,
  parameter int unsigned Most = 46
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       by_core_i,
  input logic       in_valid_i,
  input logic       put_i,
  input logic       gpu_i,
  input logic [1:0] page_i,
  input logic       near_end_i,
  input logic       length_i,
  input logic       out_ready_i,
  input logic       invalidate_i,
  input logic       older_i,
  input logic       table_ready_i,
  input logic       entry_valid_i,
  input logic       present_i,
  input logic       core_done_i,
  input logic       core_dropped_i
);

  cf_nic_rx_pkg::packet_t packet;
  cf_nic_rx_pkg::page_t   page, insert_page;
  logic                   in_ready, out_valid, lookup, gpu, hit, insert, walk, walked_valid, walked_ready, walked_found;
  logic                   table_valid, core_valid, waits_q, reading_q, by_core_q;
  logic [35:0]            number, host_number;
  logic [31:0]            gpu_number;
  logic [63:0]            walked_entry;
  logic [5:0]             packet_q;
  logic [1:0]             take_q, answer_q, core_q, out_q;  // cycles that the other side has waited
  logic [6:0]             age_q;

  always_comb begin
    packet         = '0;
    packet.put     = put_i;
    packet.address = {29'b0, page_i, 1'b0, {16{near_end_i}}};
    packet.length  = {12'b0, length_i} + 13'd1;
  end

  cf_nic_rx_translate u_dut (
    .clk_i, .rst_ni, .by_core_i(by_core_q), .invalidate_i, .older_i, .quiet_o(), .in_valid_i, .in_ready_o(in_ready),
    .in_packet_i(packet), .in_space_i({2'b0, gpu_i}), .in_ring_i(8'd0), .out_valid_o(out_valid), .out_ready_i,
    .out_packet_o(), .out_ring_o(), .out_space_o(), .out_first_o(), .out_second_o(), .lookup_o(lookup), .gpu_o(gpu),
    .host_number_o(host_number), .gpu_number_o(gpu_number), .hit_i(hit), .page_i(page), .insert_o(insert), .insert_page_o(insert_page), .walk_o(walk),
    .walked_valid_i(walked_valid), .walked_ready_o(walked_ready), .walked_found_i(walked_found),
    .walked_entry_i(walked_entry), .core_valid_o(core_valid), .core_done_i(core_done_i && core_valid), .core_dropped_i,
    .core_reason_i(cf_nic_rx_pkg::ReasonNoBuffer), .core_space_i({2'b0, gpu_i}), .core_ring_i(8'd0), .core_entries_i(128'd0)
  );

  assign number = gpu ? {4'b0, gpu_number} : host_number;

  cf_nic_rx_tlb #(.Entries(1)) u_tlb (
    .clk_i, .rst_ni, .lookup_i(lookup), .root_i(64'd0), .number_i(number), .hit_o(hit), .page_o(page), .insert_i(insert),
    .insert_page_i(insert_page), .invalidate_i, .invalidate_all_i(1'b0), .invalidate_root_i(64'd0)
  );

  cf_nic_rx_walker u_walker (
    .clk_i, .rst_ni, .quiet_o(), .start_i(walk), .gpu_i(gpu), .root_i(64'd0),
    .host_number_i(host_number), .gpu_number_i(gpu_number),
    .done_valid_o(walked_valid), .done_ready_i(walked_ready), .found_o(walked_found), .entry_o(walked_entry),
    .table_valid_o(table_valid), .table_ready_i, .table_address_o(), .entry_valid_i, .entry_i({63'd0, present_i})
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      by_core_q <= by_core_i;  // constant while it runs
    end
    packet_q <= {put_i, gpu_i, page_i, near_end_i, length_i};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q   <= 1'b0;
      reading_q <= 1'b0;
      take_q    <= '0;
      answer_q  <= '0;
      core_q    <= '0;
      out_q     <= '0;
      age_q     <= '0;
    end else begin
      waits_q   <= in_valid_i && !in_ready;
      reading_q <= (reading_q || (table_valid && table_ready_i)) && !entry_valid_i;
      take_q    <= table_valid && !table_ready_i ? take_q + 2'd1 : 2'd0;
      answer_q  <= reading_q && !entry_valid_i ? answer_q + 2'd1 : 2'd0;
      core_q    <= core_valid && !core_done_i ? core_q + 2'd1 : 2'd0;
      out_q     <= out_valid && !out_ready_i ? out_q + 2'd1 : 2'd0;
      age_q     <= in_valid_i && !in_ready ? age_q + 7'd1 : 7'd0;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!waits_q || (in_valid_i && packet_q == {put_i, gpu_i, page_i, near_end_i, length_i}));
      assume (take_q < 2'(Wait) || table_ready_i);
      assume (answer_q < 2'(Wait) || entry_valid_i);
      assume (core_q < 2'(Wait) || core_done_i);
      assume (out_q < 2'(Wait) || out_ready_i);
      B22_leaves_translation_in_time: assert (age_q < 7'(Most));
      C_longest: cover (age_q == 7'(Most - 1));
    end
  end

endmodule
