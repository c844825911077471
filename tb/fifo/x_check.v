// SPDX-License-Identifier: Apache-2.0
// The synthesised netlist with four-valued signals: after reset neither handshake is ever unknown, nor a word that is
// offered. With +unreset the reset is left out: then outputs must be unknown, or this check detects nothing.
`timescale 1ns / 1ns
module x_check;

  parameter Width = 8;

  reg clk = 0, rst_n = 1, in_valid = 0, out_ready = 0;
  reg [Width-1:0] in_data = 0;
  wire in_ready, out_valid;
  wire [Width-1:0] out_data;

  cf_fifo dut (
    .clk_i(clk), .rst_ni(rst_n), .in_valid_i(in_valid), .in_ready_o(in_ready), .in_data_i(in_data), .out_valid_o(out_valid),
    .out_ready_i(out_ready), .out_data_o(out_data)
  );

  always #5 clk = !clk;

  integer cycles = 0, unknown = 0, pushed = 0, popped = 0, full = 0, seed = 1, limit = 20000;
  reg fills = 0;

  initial begin
    if ($value$plusargs("cycles=%d", limit)) ;
    if ($value$plusargs("seed=%d", seed)) ;
    if (!$test$plusargs("unreset")) begin
      @(negedge clk) rst_n = 0;
      @(negedge clk) ;
      @(negedge clk) rst_n = 1;
    end
    repeat (limit) begin
      @(negedge clk) ;
      if ($random(seed) % 50 == 0) fills = !fills;
      in_valid = fills || $random(seed) % 4 == 0;
      out_ready = !fills || $random(seed) % 4 == 0;
      in_data = {$random(seed), $random(seed)};
      #4;
      cycles = cycles + 1;
      if (^{in_ready, out_valid} === 1'bx || (out_valid === 1'b1 && ^out_data === 1'bx)) unknown = unknown + 1;
      pushed = pushed + (in_valid && in_ready === 1'b1);
      popped = popped + (out_valid === 1'b1 && out_ready);
      full = full + (in_ready === 1'b0);
    end
    $display("x_check: cycles %0d unknown %0d pushed %0d popped %0d full %0d", cycles, unknown, pushed, popped, full);
    $finish;
  end

endmodule
