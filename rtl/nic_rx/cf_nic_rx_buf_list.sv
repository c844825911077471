// SPDX-License-Identifier: Apache-2.0
// BUF_LIST, a register file a place in a group, and the valid bits in registers: the group of entries that the search
// compares in a cycle, and every word for the core's bus. Parity counts where an entry is in the search: others need not
// have been written.
// A write replaces the words of one entry that its mask chooses. A write to word 0 alone takes the entry out of the
// search until word 7 is written, so that entries written word by word, in order, change at once. An entry whose space or ring
// does not exist is not valid.
`include "cf_assert.svh"

module cf_nic_rx_buf_list #(
  parameter int unsigned Buffers = 64,    // entries, a multiple of SearchRate
  parameter int unsigned SearchRate = 8,  // entries of a group, a power of two
  parameter int unsigned Rings = 16,
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
  input  logic                      read_i,        // read_data_o is wanted
  input  logic [IndexWidth-1:0]     read_index_i,
  input  logic [2:0]                read_word_i,
  output logic [31:0]               read_data_o,
  output logic                      read_bad_o,    // it is not as it was written
  // the search
  input  logic                      compare_i,     // group_o is asked for; else it is 0
  input  logic [GroupWidth-1:0]     group_i,
  output logic [256*SearchRate-1:0] group_o,       // entries in order of index; valid only those in the search
  output logic [SearchRate-1:0]     bad_o          // which of them are not as they were written
);

  if (SearchRate < 1 || SearchRate > 8 || SearchRate != 2 ** $clog2(SearchRate) || Buffers < SearchRate ||
      Buffers % SearchRate != 0 || Buffers > 128) begin : gen_check_rate
    $fatal(1, "SearchRate is %0d and Buffers %0d; SearchRate is a power of two from 1 to 8, Buffers a multiple of it up to 128",
           SearchRate, Buffers);
  end

  logic [Buffers-1:0]        valid_q, live_q;  // as written; in the search
  logic [SearchRate-1:0]     read_bad;
  logic [32*SearchRate-1:0]  read_words;       // one of them is read, the others are 0; bit 0 of an entry is not used

  cf_nic_rx_pkg::buffer_t comes;
  logic                   valid, unused_comes;
  assign comes        = write_data_i;
  assign valid        = comes.valid && cf_nic_rx_pkg::exists(comes.space, comes.ring, 16'(Rings));
  assign unused_comes = ^comes;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      live_q  <= '0;
    end else if (clear_i) begin
      valid_q <= '0;
      live_q  <= '0;
    end else if (write_i && write_mask_i[0]) begin
      valid_q[write_index_i] <= valid;
      live_q[write_index_i]  <= write_mask_i[7] && valid;
    end else if (write_i && write_mask_i[7]) begin
      live_q[write_index_i] <= valid_q[write_index_i];
    end
  end

  always_comb begin
    read_data_o = '0;
    for (int unsigned lane = 0; lane < SearchRate; lane++) begin
      read_data_o = read_data_o | read_words[32*lane+:32];
    end
    if (read_word_i == '0) begin
      read_data_o[0] = valid_q[read_index_i];
    end
  end

  assign read_bad_o = read_bad != '0 && live_q[read_index_i];

  logic clk_entries;
  cf_nic_rx_gate u_gate (.clk_i, .enable_i(write_i), .clk_o(clk_entries));

  for (genvar lane = 0; lane < SearchRate; lane++) begin : gen_lane
    logic [IndexWidth-1:0] index;
    logic                  written, read, bad;
    logic [255:0]          entry;

    assign index   = IndexWidth'(SearchRate * 32'(group_i) + lane);
    assign written = write_i && 32'(write_index_i) % SearchRate == lane;
    assign read    = read_i && 32'(read_index_i) % SearchRate == lane;

    cf_checked_register_file #(.Width(256), .Words(Groups)) u_entries (
      .clk_i(clk_entries), .write_i(written), .write_address_i(GroupWidth'(32'(write_index_i) / SearchRate)),
      .write_mask_i, .write_data_i, .first_read_i(compare_i), .first_address_i(group_i), .first_data_o(entry),
      .first_bad_o(bad), .second_bad_o(read_bad[lane]),
      .second_read_i(read), .second_address_i(GroupWidth'(32'(read_index_i) / SearchRate)),
      .second_part_i(read_word_i), .second_data_o(read_words[32*lane+:32])
    );

    always_comb begin
      group_o[256*lane+:256] = entry;
      if (compare_i) begin
        group_o[256*lane] = live_q[index];
      end
      bad_o[lane] = bad && live_q[index];
    end
  end

  `CF_ASSERT_SETUP
  `CF_ASSERT(B6_searched_are_valid, (live_q & ~valid_q) == '0)
  `CF_COVER(B6_half_written, (valid_q & ~live_q) != '0)
  `CF_COVER(B7_list_full, live_q == '1)

endmodule
