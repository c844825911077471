// SPDX-License-Identifier: Apache-2.0
// A register map on APB: the register that an access addresses, its read value, and refused accesses.
// Timing: no wait states (pready_o is always high). prdata_o, pslverr_o and the strobes are combinational in the access
// cycle (psel_i and penable_i); prdata_o is 0 when nothing is read. A strobe is high for one cycle a write; the
// registers refuse values out of range by ok_i, which belongs to the addressed register.
`include "cf_assert.svh"

module cf_apb_registers #(
  parameter int unsigned Registers = 22  // in the map, a word each from address 0
) (
  input  logic                      clk_i,   // for assertions only
  input  logic                      rst_ni,
  // APB
  input  logic                      psel_i,
  input  logic                      penable_i,
  input  logic                      pwrite_i,
  input  logic [7:0]                paddr_i,
  output logic [31:0]               prdata_o,
  output logic                      pready_o,
  output logic                      pslverr_o,
  // the registers
  input  logic [32*Registers-1:0]   read_i,   // each register's read value
  input  logic [Registers-1:0]      ok_i,     // may be written with the value on pwdata
  output logic [Registers-1:0]      write_o
);

  if (Registers < 1 || Registers > 64) begin : gen_check_registers
    $fatal(1, "%m: Registers is %0d", Registers);
  end

  logic                 known;
  logic [Registers-1:0] chosen;

  always_comb begin
    for (int unsigned i = 0; i < Registers; i++) begin
      chosen[i] = paddr_i == 8'(4 * i);
    end
  end

  assign known = chosen != '0;

  always_comb begin
    prdata_o = '0;
    for (int unsigned i = 0; i < Registers; i++) begin
      prdata_o |= read_i[32*i+:32] & {32{chosen[i] && psel_i && penable_i && !pwrite_i}};
    end
  end

  always_comb begin
    write_o   = '0;
    pslverr_o = 1'b0;
    if (psel_i && penable_i) begin
      if (!known) begin
        pslverr_o = 1'b1;
      end else if (pwrite_i) begin
        write_o   = chosen & ok_i;
        pslverr_o = (chosen & ok_i) == '0;
      end
    end
  end

  assign pready_o = 1'b1;

`ifndef SYNTHESIS
  // Required of the other side: a setup cycle, then the access with the same address and data.
  logic                                    setup_q;
  logic [$bits({paddr_i, pwrite_i})-1:0]   asked_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      setup_q <= 1'b0;
      asked_q <= '0;
    end else begin
      setup_q <= psel_i && !penable_i;
      asked_q <= {paddr_i, pwrite_i};
    end
  end
`endif
  `CF_ASSERT_SETUP
  `CF_REQUIRE(A16_setup_then_access, setup_q == (psel_i && penable_i))
  `CF_REQUIRE(A17_access_as_set_up, !setup_q || asked_q == {paddr_i, pwrite_i})

  // Guaranteed to the other side.
  `CF_ASSERT(A16_ready_at_once, pready_o)
  `CF_NEVER(A17_two_writes, (write_o & (write_o - Registers'(1))) != '0)
  `CF_NEVER_WHERE(A17_write_without_access, write_o != '0, !(psel_i && penable_i && pwrite_i && !pslverr_o))
  `CF_NEVER_WHERE(A17_error_without_access, pslverr_o, !(psel_i && penable_i))
  `CF_NEVER_WHERE(A17_read_without_access, prdata_o != '0, !(psel_i && penable_i && !pwrite_i && !pslverr_o))
  `CF_COVER(A16_accessed, setup_q)
  `CF_COVER(A17_written, write_o != '0)
  `CF_COVER(A17_refused, pslverr_o && pwrite_i && known)
  `CF_COVER(A17_unknown, pslverr_o && !known)

endmodule
