// SPDX-License-Identifier: Apache-2.0
// The core's bus, APB: registers from address 0, and BUF_LIST from 0x1000, 32 bytes an entry. Accesses that cannot be
// done yet have wait states; an address that is not known, and a write that its register refuses, is answered with an
// error. Timing: everything is combinational in the access cycle (psel_i and penable_i).
`include "cf_assert.svh"

module cf_nic_rx_apb #(
  parameter int unsigned Registers = 64,
  parameter int unsigned Buffers = 64,
  localparam int unsigned PlaceWidth = Registers > 1 ? $clog2(Registers) : 1,
  localparam int unsigned IndexWidth = Buffers > 1 ? $clog2(Buffers) : 1
) (
  input  logic                    clk_i,       // assertions sample here
  input  logic                    rst_ni,
  // APB
  input  logic                    psel_i,
  input  logic                    penable_i,
  input  logic                    pwrite_i,
  input  logic [12:0]             paddr_i,
  output logic [31:0]             prdata_o,
  output logic                    pready_o,
  output logic                    pslverr_o,
  // the registers
  output logic                    access_o,    // a register or an entry is accessed, or waits for it
  output logic [PlaceWidth-1:0]   place_o,     // of the register
  input  logic [31:0]             read_i,      // its value
  input  logic                    ok_i,        // it may be written with the value on pwdata
  input  logic                    wait_i,      // not now
  output logic                    read_o,      // it is read
  output logic                    ask_o,       // the bus asks to write it; early in a cycle, where write_o is late
  output logic                    write_o,
  // BUF_LIST
  input  logic                    list_busy_i, // must not be written
  input  logic [31:0]             list_data_i,
  output logic [IndexWidth-1:0]   list_index_o,
  output logic [2:0]              list_word_o,
  output logic                    list_read_o,
  output logic                    list_write_o
);

  if (Registers < 1 || Registers > 64) begin : gen_check_registers
    $fatal(1, "Registers is %0d, not 1 to 64", Registers);
  end

  logic access, done, list, aligned, chosen;

  assign access       = psel_i && penable_i;
  assign access_o     = access;
  assign place_o      = paddr_i[2+:PlaceWidth];
  assign aligned      = paddr_i[1:0] == '0;
  assign list         = paddr_i[12] && aligned && {1'b0, paddr_i[11:5]} < 8'(Buffers);
  assign list_index_o = paddr_i[5+:IndexWidth];
  assign list_word_o  = paddr_i[4:2];
  assign chosen       = access && aligned && paddr_i < 13'(4 * Registers);
  assign pready_o     = !(pwrite_i && ((chosen && wait_i) || (list && list_busy_i)));
  assign done         = access && pready_o;
  assign ask_o        = chosen && pwrite_i;
  assign write_o      = ask_o && ok_i && done;
  assign read_o       = chosen && done && !pwrite_i;
  assign list_write_o = done && pwrite_i && list;
  assign list_read_o  = done && !pwrite_i && list;
  assign pslverr_o    = done && !list && (!chosen || (pwrite_i && !ok_i));

  always_comb begin
    prdata_o = '0;
    if (list_read_o) begin
      prdata_o = list_data_i;
    end else if (read_o) begin
      prdata_o = read_i;
    end
  end

  logic unused_clock;
  assign unused_clock = ^{clk_i, rst_ni};

  `CF_ASSERT_SETUP
  `CF_NEVER(B6_list_written_while_searched, list_write_o && list_busy_i)
  `CF_NEVER(B20_register_and_list, write_o && list_write_o)
  `CF_NEVER(B20_write_that_is_refused, write_o && pslverr_o)
  `CF_COVER(B6_bus_waits, access && !pready_o)
  `CF_COVER(B20_refused, pslverr_o)

endmodule
