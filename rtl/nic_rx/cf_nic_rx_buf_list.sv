// SPDX-License-Identifier: Apache-2.0
// BUF_LIST, in registers: the group of entries that the search compares in a cycle, and every word for the core's bus.
// A write replaces the words of one entry that its mask chooses. A write to word 0 alone takes the entry out of the
// search until word 7 is written, so that entries written word by word, in order, change at once.
`include "cf_assert.svh"

module cf_nic_rx_buf_list #(
  parameter int unsigned Buffers = 64,    // entries, a multiple of SearchRate
  parameter int unsigned SearchRate = 8,  // entries of a group, a power of two
  localparam int unsigned Groups = Buffers / SearchRate,
  localparam int unsigned GroupWidth = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned IndexWidth = Buffers > 1 ? $clog2(Buffers) : 1
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      clear_i,       // all entries become invalid
  // write
  input  logic                      write_i,
  input  logic [IndexWidth-1:0]     write_index_i,
  input  logic [7:0]                write_mask_i,  // of words of 4 bytes
  input  logic [255:0]              write_data_i,
  // one word, for the bus
  input  logic                      read_i,        // else 0
  input  logic [IndexWidth-1:0]     read_index_i,
  input  logic [2:0]                read_word_i,
  output logic [31:0]               read_data_o,
  // the search
  input  logic                      compare_i,     // group_o is asked for; else it is 0
  input  logic [GroupWidth-1:0]     group_i,
  output logic [256*SearchRate-1:0] group_o        // entries in order of index; valid only those in the search
);

  if (SearchRate < 1 || SearchRate != 2 ** $clog2(SearchRate) || Buffers < SearchRate ||
      Buffers % SearchRate != 0 || Buffers > 128) begin : gen_check_rate
    $fatal(1, "%m: SearchRate is %0d, Buffers %0d: not a power of two, or no multiple of it up to 128", SearchRate,
           Buffers);
  end

  logic [255:0]       entries_q [0:Buffers-1];  // bit 0 is not used: it is in valid_q
  logic [Buffers-1:0] valid_q, live_q;          // as written; in the search

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < 8; w++) begin
      if (write_i && write_mask_i[w]) begin
        entries_q[write_index_i][32*w+:32] <= write_data_i[32*w+:32];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      live_q  <= '0;
    end else if (clear_i) begin
      valid_q <= '0;
      live_q  <= '0;
    end else if (write_i && write_mask_i[0]) begin
      valid_q[write_index_i] <= write_data_i[0];
      live_q[write_index_i]  <= write_mask_i[7] && write_data_i[0];
    end else if (write_i && write_mask_i[7]) begin
      live_q[write_index_i] <= valid_q[write_index_i];
    end
  end

  always_comb begin
    read_data_o = '0;
    if (read_i) begin
      read_data_o = entries_q[read_index_i][32*read_word_i+:32];
      if (read_word_i == '0) begin
        read_data_o[0] = valid_q[read_index_i];
      end
    end
  end

  for (genvar lane = 0; lane < SearchRate; lane++) begin : gen_lane
    logic [IndexWidth-1:0] index;
    assign index = IndexWidth'(SearchRate * 32'(group_i) + lane);

    always_comb begin
      group_o[256*lane+:256] = '0;
      if (compare_i) begin
        group_o[256*lane+:256] = entries_q[index];
        group_o[256*lane]      = live_q[index];
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_ASSERT(B6_searched_are_valid, (live_q & ~valid_q) == '0)
  `CF_COVER(B6_half_written, (valid_q & ~live_q) != '0)
  `CF_COVER(B7_list_full, live_q == '1)

endmodule
