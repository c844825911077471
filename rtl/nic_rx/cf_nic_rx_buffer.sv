// SPDX-License-Identifier: Apache-2.0
// The packet buffer: a ring of words, written a packet at a time and read in the same order. The words of a packet
// count only when the packet is committed; rewind_i forgets them. A word's room is free when it has been read.
//   data_o    the word at the read pointer, if it is of a packet that is committed
//   pop_i     the pointer goes to the next word; skip_i: past a number of words
//   bad_o     with check_i: the word at the read pointer is not as it was pushed
`include "cf_assert.svh"

module cf_nic_rx_buffer #(
  parameter int unsigned Words = 1024,  // of 16 bytes, a power of two; two packets of 4,096 bytes fit in 512
  localparam int unsigned IndexWidth = $clog2(Words)
) (
  input  logic                  clk_i,       // of words that are pushed, and of their packets' ends
  input  logic                  clk_read_i,  // the same clock, of words that are read, and of packets' ends
  input  logic                  rst_ni,
  // input
  output logic                  room_o,      // for the payload of the longest packet
  input  logic                  push_i,
  input  logic [127:0]          push_data_i,
  input  logic                  commit_i,    // what was pushed since the last commit or rewind is a packet
  input  logic                  rewind_i,    // it is not, and is forgotten
  // output
  output logic [127:0]          data_o,
  input  logic                  check_i,
  output logic                  bad_o,
  output logic [IndexWidth-1:0] word_o,      // the place of data_o
  input  logic                  pop_i,
  input  logic                  skip_i,
  input  logic [8:0]            skip_words_i
);

  if (Words < 512 || Words > 65536 || Words != 2 ** $clog2(Words)) begin : gen_check_words
    $fatal(1, "BufferWords is %0d, not a power of two from 512 to 65,536", Words);
  end

  localparam int unsigned Longest = 256;  // words of payload

  logic [IndexWidth-1:0] write_q, read_d, read_q;
  logic [IndexWidth:0]   used_q, pushed_q, added, removed;  // words of packets; of the one that is pushed

  assign room_o = used_q + pushed_q <= (IndexWidth + 1)'(Words - Longest);

  always_comb begin
    added   = '0;
    removed = '0;
    if (commit_i) begin
      added = pushed_q;
    end
    if (skip_i) begin
      removed = (IndexWidth + 1)'(skip_words_i);
    end else if (pop_i) begin
      removed = (IndexWidth + 1)'(1);
    end
    read_d = read_q + removed[IndexWidth-1:0];
  end

  // The first word of a packet that comes into an empty buffer is read when the packet is committed.
  cf_checked_ram #(.Width(128), .Words(Words)) u_words (
    .clk_i, .clk_read_i, .write_i(push_i), .write_address_i(write_q), .write_data_i(push_data_i),
    .read_i(commit_i || pop_i || skip_i), .read_address_i(read_d), .read_data_o(data_o), .check_i, .bad_o
  );

  assign word_o = read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q  <= '0;
      pushed_q <= '0;
    end else begin
      if (commit_i) begin
        pushed_q <= '0;
      end else if (rewind_i) begin
        write_q  <= write_q - pushed_q[IndexWidth-1:0];
        pushed_q <= '0;
      end else if (push_i) begin
        write_q  <= write_q + IndexWidth'(1);
        pushed_q <= pushed_q + (IndexWidth + 1)'(1);
      end
    end
  end

  always_ff @(posedge clk_read_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= '0;
      used_q <= '0;
    end else begin
      read_q <= read_d;
      used_q <= used_q + added - removed;
    end
  end

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B21_push_without_room, !push_i || used_q + pushed_q < (IndexWidth + 1)'(Words))
  `CF_REQUIRE(B21_read_without_word, removed <= used_q)
  `CF_REQUIRE(B3_one_end_at_a_time, !(commit_i && rewind_i) && !((commit_i || rewind_i) && push_i))
  `CF_ASSERT(B21_pointers_agree, write_q == read_q + used_q[IndexWidth-1:0] + pushed_q[IndexWidth-1:0])
  `CF_ASSERT(B21_words_in_buffer, {1'b0, used_q} + {1'b0, pushed_q} <= (IndexWidth + 2)'(Words))
  `CF_NEXT(B3_rewound, rewind_i, pushed_q == '0)
  `CF_COVER(B23_bad_word_at_the_end_of_the_buffer, bad_o && pop_i && word_o == '1)
  `CF_COVER(B21_no_room, !room_o)
  `CF_COVER(B3_rewinds_payload, rewind_i && pushed_q != '0)

endmodule
