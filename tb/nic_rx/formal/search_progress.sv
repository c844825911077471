// SPDX-License-Identifier: Apache-2.0
// Progress of the search, of any entries: if the stage behind takes within Wait more cycles, a packet leaves after as
// many cycles as there are groups, and those; and the list can be written in one cycle at least of as many as there are
// groups, and one.
module search_progress #(
  parameter int unsigned Groups = 3,
  parameter int unsigned Wait = 2
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         in_valid_i,
  input logic         put_i,
  input logic         process_i,
  input logic [4:0]   address_i,
  input logic [255:0] entry_i,
  input logic         bad_i,
  input logic         out_ready_i
);

  cf_nic_rx_pkg::packet_t packet;
  logic                   in_ready, out_valid, comparing, reads, waits_q;
  logic [15:0]            number_q;
  logic [6:0]             packet_q;
  logic [3:0]             age_q, busy_q;
  logic [1:0]             out_q;

  always_comb begin
    packet            = '0;
    packet.number     = number_q;
    packet.put        = put_i;
    packet.length     = 13'd1;
    packet.process_id = {15'b0, process_i};
    packet.address    = {43'b0, address_i};
  end

  cf_nic_rx_search #(.Buffers(Groups), .SearchRate(1)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_packet_i(packet), .out_valid_o(out_valid), .out_ready_i,
    .out_packet_o(), .out_place_o(), .comparing_o(comparing), .reads_o(reads), .group_o(), .group_i(entry_i), .bad_i(bad_i && reads), .bad_o(), .bad_entry_o(), .next_number_o()
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    packet_q <= {put_i, process_i, address_i};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q <= '0;
      waits_q  <= 1'b0;
      out_q    <= '0;
      age_q    <= '0;
      busy_q   <= '0;
    end else begin
      number_q <= number_q + {15'd0, in_ready};
      waits_q  <= in_valid_i && !in_ready;
      out_q    <= out_valid && !out_ready_i ? out_q + 2'd1 : 2'd0;
      age_q    <= in_valid_i && !in_ready ? age_q + 4'd1 : 4'd0;
      busy_q   <= comparing ? busy_q + 4'd1 : 4'd0;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!waits_q || (in_valid_i && packet_q == {put_i, process_i, address_i}));
      assume (out_q < 2'(Wait) || out_ready_i);
      B7_leaves_the_search_in_time: assert (age_q <= 4'(Groups + Wait));
      B6_list_is_free_in_time: assert (busy_q <= 4'(Groups));
      C_longest: cover (age_q == 4'(Groups + Wait));
      C_busy: cover (busy_q == 4'(Groups));
    end
  end

endmodule
