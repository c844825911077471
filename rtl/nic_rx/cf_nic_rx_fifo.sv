// SPDX-License-Identifier: Apache-2.0
// A queue with ready/valid at both ends. What enters in a cycle can leave in the next. Neither ready nor valid depends
// on the other side in the same cycle.
`include "cf_assert.svh"

module cf_nic_rx_fifo #(
  parameter int unsigned Width = 8,  // bits of an entry
  parameter int unsigned Depth = 4   // entries, a power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  if (Depth < 2 || Depth != 2 ** $clog2(Depth)) begin : gen_check_depth
    $fatal(1, "%m: Depth is %0d, not a power of two from 2", Depth);
  end

  localparam int unsigned IndexWidth = $clog2(Depth);

  logic [Width-1:0]    entries_q [0:Depth-1];
  logic [IndexWidth:0] head_q, tail_q;  // one bit more than an index
  logic                push, pop;

  assign in_ready_o  = head_q - tail_q != (IndexWidth + 1)'(Depth);
  assign out_valid_o = head_q != tail_q;
  assign out_data_o  = entries_q[tail_q[IndexWidth-1:0]];
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (push) begin
      entries_q[head_q[IndexWidth-1:0]] <= in_data_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
    end else begin
      if (push) begin
        head_q <= head_q + (IndexWidth + 1)'(1);
      end
      if (pop) begin
        tail_q <= tail_q + (IndexWidth + 1)'(1);
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_STABLE(B21_valid_until_taken, out_valid_o && !out_ready_i, out_valid_o)
  `CF_STABLE(B21_data_until_taken, out_valid_o && !out_ready_i, out_data_o)
  `CF_ASSERT(B21_entries_in_depth, head_q - tail_q <= (IndexWidth + 1)'(Depth))
  `CF_COVER(B21_full, !in_ready_o)
  `CF_COVER(B21_push_and_pop, push && pop)

endmodule
