// SPDX-License-Identifier: Apache-2.0
// Assertions of the queue. It counts entries by itself, and watches one entry at a time from the cycle in which it enters
// to the one in which it leaves. Which one is any that a proof likes, in simulation the next. It is not synthesised.
`include "cf_assert.svh"

module cf_fifo_checks #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned IndexWidth = $clog2(Depth)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  in_valid_i,
  input  logic                  in_ready_i,
  input  logic [Width-1:0]      in_data_i,
  input  logic                  out_valid_i,
  input  logic                  out_ready_i,
  input  logic [Width-1:0]      out_data_i,
  input  logic [IndexWidth:0]   head_i,
  input  logic [IndexWidth:0]   tail_i,
  output logic [IndexWidth-1:0] watched_index_o,  // where the watched entry has to be
  input  logic [Width-1:0]      watched_entry_i   // what is there
);

  localparam int unsigned CountWidth = IndexWidth + 1;

  logic                  push, pop, starts, watching_q, leaves;
  logic [CountWidth-1:0] count_q, ahead_q;  // entries; those in front of the watched one
  logic [Width-1:0]      word_q;

`ifdef FORMAL
  (* anyseq *) logic any_cycle;
  assign starts = any_cycle && push && !watching_q;
`else
  assign starts = push && !watching_q;
`endif
  assign push            = in_valid_i && in_ready_i;
  assign pop             = out_valid_i && out_ready_i;
  assign leaves          = watching_q && pop && ahead_q == '0;
  assign watched_index_o = tail_i[IndexWidth-1:0] + ahead_q[IndexWidth-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q    <= '0;
      ahead_q    <= '0;
      watching_q <= 1'b0;
      word_q     <= '0;
    end else begin
      count_q <= count_q + CountWidth'(push) - CountWidth'(pop);
      if (starts) begin
        watching_q <= 1'b1;
        word_q     <= in_data_i;
        ahead_q    <= count_q - CountWidth'(pop);
      end else if (leaves) begin
        watching_q <= 1'b0;
      end else if (pop && watching_q) begin
        ahead_q <= ahead_q - CountWidth'(1);
      end
    end
  end

  `CF_ASSERT_SETUP
  // What the queue does.
  `CF_STABLE(F1_valid_until_taken, out_valid_i && !out_ready_i, out_valid_i)
  `CF_STABLE(F2_data_until_taken, out_valid_i && !out_ready_i, out_data_i)
  `CF_STABLE(F2_last_word_stays, pop && !push && count_q == CountWidth'(1), out_data_i)
  `CF_ASSERT(F3_never_more_than_depth, count_q <= CountWidth'(Depth))
  `CF_ASSERT(F4_counts, head_i - tail_i == count_q)
  `CF_ASSERT(F5_ready_unless_full, in_ready_i == (count_q != CountWidth'(Depth)))
  `CF_ASSERT(F6_valid_unless_empty, out_valid_i == (count_q != '0))
  `CF_WHERE(F7_entry_is_in_the_queue, watching_q, ahead_q < count_q)
  `CF_WHERE(F8_entry_is_kept, watching_q, watched_entry_i == word_q)
  `CF_WHERE(F8_oldest_is_shown, watching_q && ahead_q == '0, out_data_i == word_q)
  `CF_WHERE(F9_leaves_as_it_entered_in_its_turn, leaves, out_data_i == word_q)
  `CF_NEXT(F10_an_entry_can_leave_in_the_next_cycle, push, out_valid_i)
  `CF_COVER(F3_full, count_q == CountWidth'(Depth))
  `CF_COVER(F4_push_and_pop, push && pop)
  `CF_COVER(F5_waits, in_valid_i && !in_ready_i)
  `CF_COVER(F6_empty_again, count_q == '0 && tail_i != '0)
  `CF_COVER(F9_behind_a_full_queue, watching_q && ahead_q == CountWidth'(Depth - 1))

endmodule
