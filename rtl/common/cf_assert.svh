// SPDX-License-Identifier: Apache-2.0
// Assertions as clocked immediate ones, so that the same text runs in Verilator and in Yosys. All sample the
// values just before a rising edge of clk_i; in simulation from the second edge after reset on. They are not
// synthesised.
//   CF_ASSERT_SETUP            once in a module, before the others
//   CF_ASSERT(Name, expr)      expr always holds
//   CF_NEVER(Name, expr)       expr never holds
//   CF_REQUIRE(Name, expr)     the other side must see to it that expr always holds: assumed in proofs
//   CF_WHERE(Name, a, b)       where a holds, b does; Name_C covers that a holds
//   CF_NEVER_WHERE(Name, a, b) where a holds, b does not; Name_C covers that a holds
//   CF_NEXT(Name, a, b)        where a held in a cycle, b holds in the next; Name_C covers that a held
//   CF_STABLE(Name, a, value)  where a held in a cycle, value is the same in the next; Name_C covers that a held
//   CF_COVER(Name, expr)       expr can hold
`ifndef CF_ASSERT_SVH
`define CF_ASSERT_SVH

`ifdef SYNTHESIS

`define CF_ASSERT_SETUP
`define CF_ASSERT(Name, expr)
`define CF_NEVER(Name, expr)
`define CF_REQUIRE(Name, expr)
`define CF_WHERE(Name, a, b)
`define CF_NEVER_WHERE(Name, a, b)
`define CF_NEXT(Name, a, b)
`define CF_STABLE(Name, a, value)
`define CF_COVER(Name, expr)

`else

// In simulation the reset itself is not sampled in a clocked process: it may change in the same instant as the clock. A
// proof, which may begin in any state, must not be able to switch the assertions off.
`ifdef FORMAL
`define CF_ASSERT_SETUP \
  logic cf_live; \
  assign cf_live = rst_ni;
`else
`define CF_ASSERT_SETUP \
  logic cf_live; \
  always_ff @(posedge clk_i or negedge rst_ni) begin \
    if (!rst_ni) cf_live <= 1'b0; \
    else cf_live <= 1'b1; \
  end
`endif

`define CF_ASSERT(Name, expr) \
  always @(posedge clk_i) begin \
    if (cf_live) begin \
      Name: assert (expr); \
    end \
  end

`ifdef FORMAL
`define CF_REQUIRE(Name, expr) \
  always @(posedge clk_i) begin \
    if (cf_live) begin \
      Name: assume (expr); \
    end \
  end
`else
`define CF_REQUIRE(Name, expr) `CF_ASSERT(Name, expr)
`endif

`define CF_NEVER(Name, expr) `CF_ASSERT(Name, !(expr))

`define CF_WHERE(Name, a, b) \
  `CF_ASSERT(Name, !(a) || (b)) \
  `CF_COVER(Name``_C, a)

`define CF_NEVER_WHERE(Name, a, b) `CF_WHERE(Name, a, !(b))

`define CF_NEXT(Name, a, b) \
  logic cf_``Name``_q; \
  always_ff @(posedge clk_i or negedge rst_ni) begin \
    if (!rst_ni) cf_``Name``_q <= 1'b0; \
    else cf_``Name``_q <= (a); \
  end \
  `CF_ASSERT(Name, !cf_``Name``_q || (b)) \
  `CF_COVER(Name``_C, cf_``Name``_q)

`define CF_STABLE(Name, a, value) \
  logic [$bits(value)-1:0] cf_``Name``_value_q; \
  always_ff @(posedge clk_i or negedge rst_ni) begin \
    if (!rst_ni) cf_``Name``_value_q <= '0; \
    else cf_``Name``_value_q <= (value); \
  end \
  `CF_NEXT(Name, a, (value) == cf_``Name``_value_q)

`define CF_COVER(Name, expr) \
  always @(posedge clk_i) begin \
    if (cf_live) begin \
      Name: cover (expr); \
    end \
  end

`endif
`endif
