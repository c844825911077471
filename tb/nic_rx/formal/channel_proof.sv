// SPDX-License-Identifier: Apache-2.0
// The write channel between sources and tags that keep what it offers until it is taken, and the module of soft resets
// that holds it. A source that has begun a write goes on with it in the next cycle.
module channel_proof (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                soft_reset_i,
  input logic                first_valid_i,
  input cf_nic_rx_pkg::dma_t first_i,
  input logic                second_valid_i,
  input cf_nic_rx_pkg::dma_t second_i,
  input logic                tag_valid_i,
  input logic [1:0]          tag_i,
  input logic                dma_ready_i,
  input logic                writes_home_i,
  input logic                table_valid_i,
  input logic                table_taken_i,
  input logic                entry_valid_i,
  input logic                word_taken_i,
  input logic                word_last_i
);

  cf_nic_rx_pkg::dma_t dma, first_q, second_q;
  logic                hold, free, take, first_ready, second_ready, second_offered, second_offered_q, dma_valid;
  logic                first_waits_q, first_goes_on_q, second_waits_q, second_goes_on_q, tag_waits_q, home_q;
  logic [1:0]          tag_q;

  cf_nic_rx_channel #(.TagWidth(2)) u_dut (
    .clk_i, .rst_ni, .hold_i(hold), .free_o(free), .quiet_o(), .first_valid_i, .first_ready_o(first_ready), .first_i,
    .second_valid_i, .second_ready_o(second_ready), .second_offered_o(second_offered), .second_i, .tag_valid_i, .tag_i, .take_o(take),
    .dma_valid_o(dma_valid), .dma_ready_i, .dma_o(dma), .dma_tag_o()
  );

  cf_nic_rx_reset u_reset (
    .clk_i, .rst_ni, .soft_reset_i, .clear_no(), .clear_o(), .hold_o(hold), .discard_o(), .accept_o(), .busy_o(),
    .channel_free_i(free), .writes_home_i, .table_valid_i, .table_taken_i, .entry_valid_i, .word_taken_i, .word_last_i
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_waits_q    <= 1'b0;
      first_goes_on_q  <= 1'b0;
      second_waits_q   <= 1'b0;
      second_offered_q <= 1'b0;
      second_goes_on_q <= 1'b0;
      tag_waits_q      <= 1'b0;
      home_q           <= 1'b0;
    end else begin
      first_waits_q    <= first_valid_i && !first_ready;
      first_goes_on_q  <= first_ready && !first_i.last;
      second_waits_q   <= second_valid_i && !second_ready;
      second_offered_q <= second_offered && !second_ready;
      second_goes_on_q <= second_ready && !second_i.last;
      tag_waits_q      <= tag_valid_i && !take;
      home_q           <= writes_home_i && !take;
    end
  end
  always_ff @(posedge clk_i) begin
    first_q  <= first_i;
    second_q <= second_i;
    tag_q    <= tag_i;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!first_waits_q || (first_valid_i && first_i == first_q));
      assume (!second_waits_q || second_valid_i);
      assume (!second_offered_q || second_i == second_q);
      if (first_goes_on_q) begin
        assume (first_valid_i && {first_i.kind, first_i.space, first_i.address, first_i.number} ==
                {first_q.kind, first_q.space, first_q.address, first_q.number});
      end
      if (second_goes_on_q) begin
        assume (second_valid_i && {second_i.kind, second_i.space, second_i.address, second_i.number} ==
                {second_q.kind, second_q.space, second_q.address, second_q.number});
      end
      assume (!tag_waits_q || (tag_valid_i && tag_i == tag_q));
      assume (!home_q || writes_home_i);
      C_write_of_two_beats: cover (first_goes_on_q && dma_valid);
    end
  end

endmodule
