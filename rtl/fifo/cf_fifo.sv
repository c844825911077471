// SPDX-License-Identifier: Apache-2.0
// A queue with ready/valid at both ends. What enters in a cycle can leave in the next. Neither ready nor valid depends
// on the other side in the same cycle, and the word that can leave is in a register: what reads it has the whole cycle.
`include "cf_assert.svh"

module cf_fifo #(
  parameter int unsigned Width = 8,  // bits of an entry
  parameter int unsigned Depth = 4   // entries, a power of two from 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o   // unknown while !out_valid_o
);

  if (Depth < 2 || Depth != 2 ** $clog2(Depth)) begin : gen_check_depth
    $fatal(1, "%m: Depth is %0d, not a power of two from 2", Depth);
  end
  if (Width == 0) begin : gen_check_width
    $fatal(1, "%m: Width is 0");
  end

  localparam int unsigned IndexWidth = $clog2(Depth);

  logic [Width-1:0]      entries_q [0:Depth-1];
  logic [Width-1:0]      oldest_q;        // a copy of the entry at the tail
  logic [IndexWidth:0]   head_q, tail_q;  // one bit more than an index
  logic [IndexWidth-1:0] next;
  logic                  push, pop, alone;

  assign in_ready_o  = head_q - tail_q != (IndexWidth + 1)'(Depth);
  assign out_valid_o = head_q != tail_q;
  assign out_data_o  = oldest_q;
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_o && out_ready_i;
  assign next        = tail_q[IndexWidth-1:0] + IndexWidth'(1);
  assign alone       = head_q[IndexWidth-1:0] == next;  // an entry at the tail is the only one

  always_ff @(posedge clk_i) begin
    if (push) begin
      entries_q[head_q[IndexWidth-1:0]] <= in_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push && (!out_valid_o || (pop && alone))) begin
      oldest_q <= in_data_i;
    end else if (pop && !alone) begin
      oldest_q <= entries_q[next];
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

`ifndef SYNTHESIS
  logic [IndexWidth-1:0] watched_index;
  cf_fifo_checks #(.Width(Width), .Depth(Depth)) u_checks (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_i(in_ready_o), .in_data_i, .out_valid_i(out_valid_o), .out_ready_i,
    .out_data_i(out_data_o), .head_i(head_q), .tail_i(tail_q), .watched_index_o(watched_index),
    .watched_entry_i(entries_q[watched_index])
  );
`endif

endmodule
