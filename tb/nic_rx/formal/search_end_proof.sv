// SPDX-License-Identifier: Apache-2.0
// Of packets of any length and number: the search counts them for an INVALIDATE, and tells exactly whether the last byte of one is
// in the buffer that was found and in the address space.
module search_end_proof #(
  parameter int unsigned Buffers = 8,
  parameter int unsigned SearchRate = 1
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      in_valid_i,
  input cf_nic_rx_pkg::packet_t    in_packet_i,
  input logic                      out_ready_i,
  input logic [256*SearchRate-1:0] group_i,
  input logic [SearchRate-1:0]     bad_i
);

  (* hierconn *) wire [15:0] \u_dut.next_q ;
  (* hierconn *) wire [47:0] \u_dut.base_q ;
  (* hierconn *) wire [47:0] \u_dut.length_q ;
  (* hierconn *) wire        \u_dut.long_q ;
  (* hierconn *) wire        \u_dut.found_q ;

  cf_nic_rx_pkg::packet_t out_packet;
  logic                   in_ready, out_valid, bad, holds;
  logic [15:0]            next_number, taken_q;
  logic [49:0]            end_of_packet, end_of_buffer;

`ifdef CF_HARDWARE
  cf_nic_rx_search u_dut (  // a netlist of these parameters
`else
  cf_nic_rx_search #(.Buffers(Buffers), .SearchRate(SearchRate)) u_dut (
`endif
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_packet_i, .out_valid_o(out_valid), .out_ready_i,
    .out_packet_o(out_packet), .out_place_o(), .comparing_o(), .reads_o(), .group_o(), .group_i, .bad_i, .bad_o(bad), .bad_entry_o(),
    .next_number_o(next_number)
  );

  assign end_of_packet = {2'b0, in_packet_i.address} + {37'b0, in_packet_i.length};
  assign end_of_buffer = {2'b0, \u_dut.base_q } + {2'b0, \u_dut.length_q };
  assign holds         = (\u_dut.long_q || end_of_packet <= end_of_buffer) && end_of_packet <= 50'h1_0000_0000_0000;

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= '0;
    end else if (in_ready) begin
      taken_q <= taken_q + 16'd1;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B8_counts_what_it_takes: assert (\u_dut.next_q == taken_q);
      B8_counts_the_put_inside: assert (next_number == taken_q + {15'd0, in_valid_i && in_packet_i.put});
      if (out_valid && out_ready_i && in_packet_i.put && \u_dut.found_q && !bad) begin
        B7_last_byte_of_any_length: assert ((out_packet.reason == cf_nic_rx_pkg::ReasonBounds) == !holds);
      end
      C_just_too_long: cover (out_valid && !bad && in_packet_i.put && end_of_packet == end_of_buffer + 50'd1 && in_packet_i.length == 13'd4096);
    end
  end

endmodule
