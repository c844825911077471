// SPDX-License-Identifier: Apache-2.0
// Assertions that are bound to the queue from outside: they see its registers, and the queue knows nothing of them.
`include "cf_assert.svh"

module bound_checks #(
  parameter int unsigned Width = 8,
  parameter int unsigned PointerWidth = 3
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    push_i,
  input logic                    pop_i,
  input logic                    valid_i,
  input logic [Width-1:0]        oldest_i,
  input logic [Width-1:0]        entry_i,  // at the tail
  input logic [PointerWidth-1:0] head_i,
  input logic [PointerWidth-1:0] tail_i
);

  logic [PointerWidth-1:0] next_head_q, next_tail_q;

  always_ff @(posedge clk_i) begin
    next_head_q <= head_i + PointerWidth'(1);
    next_tail_q <= tail_i + PointerWidth'(1);
  end

  `CF_ASSERT_SETUP
  `CF_WHERE(F11_oldest_is_the_entry_at_the_tail, valid_i, oldest_i == entry_i)
  `CF_NEXT(F12_head_moves_by_one, push_i, head_i == next_head_q)
  `CF_NEXT(F12_tail_moves_by_one, pop_i, tail_i == next_tail_q)
  `CF_STABLE(F12_head_stays, !push_i, head_i)
  `CF_STABLE(F12_tail_stays, !pop_i, tail_i)

endmodule

bind cf_fifo bound_checks #(.Width(Width), .PointerWidth(IndexWidth + 1)) u_bound (
  .clk_i, .rst_ni, .push_i(push), .pop_i(pop), .valid_i(out_valid_o), .oldest_i(oldest_q),
  .entry_i(entries_q[tail_q[IndexWidth-1:0]]), .head_i(head_q), .tail_i(tail_q)
);
