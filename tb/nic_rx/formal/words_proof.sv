// SPDX-License-Identifier: Apache-2.0
// The splitter with a payload of any length from 1 byte to 4,096 at any address, and with a write channel that refuses at will: the
// words that are written and those that are left are all of it (B14_all_words_are_written), so that its last beat is told by
// those that are left.
module words_proof (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        in_valid_i,
  input logic        put_i,
  input logic        gpu_i,
  input logic [47:0] address_i,
  input logic [12:0] length_i,
  input logic        out_ready_i,
  input logic        close_i,
  input logic        dma_ready_i
);

  cf_nic_rx_pkg::packet_t packet;
  logic                   in_ready, dma_valid, waits_q;
  logic [62:0]            packet_q;
  (* hierconn *) wire     \u_dut.begun_q ;

  always_comb begin
    packet         = '0;
    packet.put     = put_i;
    packet.length  = length_i;
    packet.address = address_i;
  end

  cf_nic_rx_writer u_dut (
    .clk_i, .clk_rest_i(clk_i), .rst_ni, .close_i, .closes_o(), .moves_o(), .max_payload_i(3'd0), .in_valid_i, .in_ready_o(in_ready),
    .in_packet_i(packet), .in_space_i({2'b0, gpu_i}), .in_first_i('0), .in_second_i('0), .out_valid_o(), .out_ready_i,
    .retire_i(in_ready), .data_i('0), .payload_o(), .pop_o(), .skip_o(), .skip_words_o(), .dma_valid_o(dma_valid), .dma_ready_i,
    .dma_offered_i(dma_valid), .dma_o()
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
    end else begin
      waits_q <= in_valid_i && !in_ready;
    end
  end
  always_ff @(posedge clk_i) begin
    packet_q <= {put_i, gpu_i, address_i, length_i};
  end

  // A packet stays until it is taken.
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (length_i != '0 && length_i <= 13'd4096);
      assume (!waits_q || (in_valid_i && packet_q == {put_i, gpu_i, address_i, length_i}));
      B14_a_put_that_has_begun_stays: assert (!\u_dut.begun_q || (waits_q && packet_q[62]));
    end
  end

endmodule
