// SPDX-License-Identifier: Apache-2.0
// MEMORY_ERROR: which memories have shown a bad word, and where the first one was. An error counts in the cycle in which
// it is cleared, too. A soft reset leaves it. And whether the core has read a bad word of BUF_LIST while its look-up waited:
// then the answer is worth nothing.
`include "cf_assert.svh"

module cf_nic_rx_memory_error #(
  parameter int unsigned BufferWords = 1024,
  parameter int unsigned Buffers = 64,
  localparam int unsigned WordWidth = $clog2(BufferWords),
  localparam int unsigned IndexWidth = Buffers > 1 ? $clog2(Buffers) : 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  // errors
  input  logic                             buffer_bad_i,      // a packet has been written with a bad word
  input  logic [WordWidth-1:0]             buffer_word_i,
  input  logic                             list_bad_i,        // the search has met a bad entry of BUF_LIST
  input  logic [IndexWidth-1:0]            list_bad_entry_i,
  input  logic                             list_read_bad_i,   // the bus reads one
  input  logic [IndexWidth-1:0]            list_read_index_i,
  // the register
  input  logic [1:0]                       clear_i,           // BUF_LIST, packet buffer
  output cf_nic_rx_reg_pkg::memory_error_t value_o,
  // a look-up of the core
  input  logic                             lookup_valid_i,
  output logic                             lookup_bad_o       // it has read a bad word since it came
);

  logic [1:0]  bad_q, kept, comes;  // BUF_LIST, packet buffer
  logic        list_first_q, lookup_bad_q;
  logic [15:0] address_q;

  assign kept         = bad_q & ~clear_i;
  assign comes        = {list_bad_i || list_read_bad_i, buffer_bad_i};
  assign lookup_bad_o = lookup_bad_q;

  always_comb begin
    value_o               = '0;
    value_o.packet_buffer = bad_q[0];
    value_o.buf_list      = bad_q[1];
    value_o.first         = list_first_q;
    value_o.address       = address_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bad_q        <= '0;
      list_first_q <= 1'b0;
      address_q    <= '0;
      lookup_bad_q <= 1'b0;
    end else begin
      bad_q        <= kept | comes;
      lookup_bad_q <= lookup_valid_i && (lookup_bad_q || list_read_bad_i);
      if (kept == '0 && comes != '0) begin
        list_first_q <= !buffer_bad_i;
        address_q    <= 16'(list_read_index_i);
        if (buffer_bad_i) begin
          address_q <= 16'(buffer_word_i);
        end else if (list_bad_i) begin
          address_q <= 16'(list_bad_entry_i);
        end
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_NEXT(B23_packet_buffer_is_told, buffer_bad_i, value_o.packet_buffer)
  `CF_NEXT(B23_buf_list_is_told, list_bad_i || list_read_bad_i, value_o.buf_list)
  `CF_STABLE(B23_first_address_stays, kept != '0, {list_first_q, address_q})
  `CF_COVER(B23_error_while_it_is_cleared, (comes & clear_i) != '0)
  `CF_COVER(B23_both_memories, bad_q == '1)
  `CF_COVER(B23_core_reads_a_bad_word, lookup_bad_q)

endmodule
