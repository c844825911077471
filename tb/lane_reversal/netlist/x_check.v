// SPDX-License-Identifier: Apache-2.0
// The synthesised netlist with four-valued signals: after reset no output bit is ever unknown. First all registers are
// read, before anything can have given them a value. Then they get short times, so that lanes turn, fail and come back,
// with random inputs. A second reset ends that, and all registers must read as after the first one. With +unreset the
// first reset is left out: then outputs must be unknown, or this check detects nothing.
`timescale 1ns / 1ns
module x_check;

  parameter LanesPerDirection = 8;
  localparam LANES = 2 * LanesPerDirection;
  localparam COUNT = 20 + $clog2(LANES);
  localparam REGISTERS = 22;

  reg clk = 0, rst_n = 1, psel = 0, penable = 0, pwrite = 0, launch = 0;
  reg [7:0] paddr = 0;
  reg [31:0] pwdata = 0;
  reg [LANES-1:0] fault = 0, a_valid = 0, b_valid = 0;
  wire [31:0] prdata;
  wire pready, pslverr, irq, running, idle, window_end, under_way;
  wire [LANES-1:0] a_serve, a_drive, b_serve, b_drive;
  wire [5:0] lanes_ab, lanes_ba, turning, failed;
  wire [1:0] decision, pending;
  wire totals;
  wire [COUNT-1:0] busy_ab, busy_ba, capacity_ab, capacity_ba;

  cf_lane_reversal dut (
    .clk_i(clk), .rst_ni(rst_n), .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .paddr_i(paddr),
    .pwdata_i(pwdata), .prdata_o(prdata), .pready_o(pready), .pslverr_o(pslverr), .irq_o(irq), .launch_i(launch),
    .lane_fault_i(fault), .a_valid_i(a_valid), .a_serve_o(a_serve), .a_drive_o(a_drive), .b_valid_i(b_valid),
    .b_serve_o(b_serve), .b_drive_o(b_drive), .running_o(running), .idle_o(idle), .lanes_ab_o(lanes_ab), .lanes_ba_o(lanes_ba),
    .turning_o(turning), .failed_o(failed), .window_end_o(window_end), .decision_o(decision), .pending_o(pending),
    .under_way_o(under_way), .totals_o(totals), .busy_ab_o(busy_ab), .busy_ba_o(busy_ba), .capacity_ab_o(capacity_ab),
    .capacity_ba_o(capacity_ba)
  );

  always #5 clk = !clk;

  integer cycles = 0, unknown = 0, different = 0, i = 0, turns = 0, faults = 0, launches = 0, reads = 0, seed = 1, limit = 20000;
  reg [5:0] last_turning = 0;
  reg [31:0] first [0:REGISTERS-1];  // as read after the first reset

  task store(input [7:0] address, input [31:0] data);
    begin
      @(negedge clk) begin psel = 1; penable = 0; pwrite = 1; paddr = address; pwdata = data; end
      @(negedge clk) penable = 1;
      @(negedge clk) begin psel = 0; penable = 0; end
    end
  endtask

  // Just before each edge, when everything has settled.
  task look;
    begin
      cycles = cycles + 1;
      if (^{prdata, pready, pslverr, irq, running, idle, window_end, a_serve, a_drive, b_serve, b_drive, lanes_ab, lanes_ba,
            turning, failed, decision, pending, under_way, totals, busy_ab, busy_ba, capacity_ab, capacity_ba} === 1'bx)
        unknown = unknown + 1;
      if (turning > last_turning) turns = turns + 1;
      last_turning = turning;
    end
  endtask

  // Reads all registers; they are kept, or compared with what was kept.
  task read_all(input compare);
    for (i = 0; i < REGISTERS; i = i + 1) begin
      @(negedge clk) begin psel = 1; penable = 0; pwrite = 0; paddr = 4 * i; end
      @(negedge clk) penable = 1;
      #4 look;
      if (!compare) first[i] = prdata;
      else if (prdata !== first[i]) different = different + 1;
      @(negedge clk) begin psel = 0; penable = 0; end
    end
  endtask

  task reset;
    begin
      @(negedge clk) begin rst_n = 0; psel = 0; penable = 0; launch = 0; fault = 0; a_valid = 0; b_valid = 0; end
      @(negedge clk) ;
      @(negedge clk) rst_n = 1;
    end
  endtask

  reg heavy_ab = 1;

  initial begin
    if ($value$plusargs("cycles=%d", limit)) ;
    if ($value$plusargs("seed=%d", seed)) ;
    if (!$test$plusargs("unreset")) begin
      reset;
      read_all(0);
      store(8'h0c, 12);
      store(8'h10, 5);
      store(8'h14, 3);
      store(8'h18, 9);
      store(8'h38, 3);
    end
    @(negedge clk) launch = 1;
    repeat (limit) begin
      @(negedge clk) ;
      if ($random(seed) % 200 == 0) heavy_ab = !heavy_ab;
      launch = $random(seed) % 300 == 0;
      launches = launches + launch;
      fault = 0;
      if ($random(seed) % 4000 == 0) fault[$unsigned($random(seed)) % LANES] = 1;
      faults = faults + (fault != 0);
      a_valid = a_serve & (heavy_ab ? {LANES{1'b1}} : $random(seed));
      b_valid = b_serve & (heavy_ab ? $random(seed) : {LANES{1'b1}});
      if (psel && !penable) penable = 1;
      else begin
        psel = $random(seed) % 2;
        penable = 0;
        // Reads of everything; writes only where no long time can be written.
        pwrite = $random(seed) % 4 == 0;
        paddr = pwrite ? 8'h34 : $random(seed);
        pwdata = $random(seed);
      end
      reads = reads + (psel && penable && !pwrite);
      #4 look;
    end
    if (!$test$plusargs("unreset")) begin
      reset;
      read_all(1);
    end
    $display("x_check: cycles %0d unknown %0d different %0d turns %0d launches %0d faults %0d reads %0d", cycles, unknown, different, turns, launches,
             faults, reads);
    $finish;
  end

endmodule
