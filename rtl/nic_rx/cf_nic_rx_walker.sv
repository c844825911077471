// SPDX-License-Identifier: Apache-2.0
// Reads the entry of a page from page tables of three levels, one read at a time.
//
//   state   | until                                       | then
//   Idle    | start_i                                     | Request
//   Request | the table memory takes the read             | Waiting
//   Waiting | entry_valid_i                               | Taken
//   Taken   | always: the next level                      | Request
//           | last level, or the entry is invalid: taken  | Idle
// An entry may come in the cycle in which its read is taken. done_* are combinational of registers, in Taken.
`include "cf_assert.svh"

module cf_nic_rx_walker (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        quiet_o,        // nothing changes without start_i, a read that is taken, or an entry
  // the page, until it is done
  input  logic        start_i,        // only in a cycle without a walk
  input  logic        gpu_i,          // a page of 64 KB; else of 4 KB
  input  logic [63:0] root_i,
  input  logic [35:0] host_number_i,  // of the virtual page, if it is the host's
  input  logic [31:0] gpu_number_i,   // if it is a GPU's
  output logic        done_valid_o,
  input  logic        done_ready_i,
  output logic        found_o,        // every level had a valid entry
  output logic [63:0] entry_o,        // of the last level
  // table memory
  output logic        table_valid_o,
  input  logic        table_ready_i,
  output logic [63:0] table_address_o,
  input  logic        entry_valid_i,
  input  logic [63:0] entry_i
);

  typedef enum logic [1:0] {
    Idle    = 2'd0,
    Request = 2'd1,
    Waiting = 2'd2,
    Taken   = 2'd3
  } state_e;

  localparam logic [1:0] LastLevel = 2'd2;

  state_e      state_d, state_q;
  logic [1:0]  level_d, level_q, next_level;
  logic [63:0] address_q, entry_q, next_table;
  logic [11:0] index;
  logic        last, arrived, advance;

  assign arrived = (state_q == Waiting || (state_q == Request && table_ready_i)) && entry_valid_i;
  assign last    = level_q == LastLevel || !entry_q[0];
  assign advance = state_d == Request && state_q != Request;

  always_comb begin
    state_d = state_q;
    level_d = level_q;
    unique case (state_q)
      Idle: begin
        if (start_i) begin
          state_d = Request;
          level_d = '0;
        end
      end
      Request: begin
        if (arrived) begin
          state_d = Taken;
        end else if (table_ready_i) begin
          state_d = Waiting;
        end
      end
      Waiting: begin
        if (arrived) begin
          state_d = Taken;
        end
      end
      default: begin
        if (!last) begin
          state_d = Request;
          level_d = level_q + 2'd1;
        end else if (done_ready_i) begin
          state_d = Idle;
        end
      end
    endcase
  end

  // The place of the entry in the table of the next read's level. By registers alone: start_i comes behind the TLBs.
  always_comb begin
    next_level = level_q + 2'd1;
    if (state_q == Idle) begin
      next_level = '0;
    end
  end

  always_comb begin
    unique case (next_level)
      2'd0: begin
        index = host_number_i[35:24];
        if (gpu_i) begin
          index = {2'b0, gpu_number_i[31:22]};
        end
      end
      2'd1: begin
        index = host_number_i[23:12];
        if (gpu_i) begin
          index = {1'b0, gpu_number_i[21:11]};
        end
      end
      default: begin
        index = host_number_i[11:0];
        if (gpu_i) begin
          index = {1'b0, gpu_number_i[10:0]};
        end
      end
    endcase
  end

  always_comb begin
    next_table = {entry_q[63:12], 12'b0};
    if (state_q == Idle) begin
      next_table = root_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      level_q   <= '0;
      address_q <= '0;
      entry_q   <= '0;
    end else begin
      state_q <= state_d;
      level_q <= level_d;
      if (advance) begin
        address_q <= next_table + {49'd0, index, 3'd0};
      end
      if (arrived) begin
        entry_q <= entry_i;
      end
    end
  end

  assign quiet_o         = state_q != Taken;
  assign table_valid_o   = state_q == Request;
  assign table_address_o = address_q;
  assign done_valid_o    = state_q == Taken && last;
  assign found_o         = entry_q[0];
  assign entry_o         = entry_q;

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B10_one_walk_at_a_time, !(start_i && state_q != Idle))
  `CF_REQUIRE(B10_entry_without_read, !entry_valid_i || arrived)
  `CF_STABLE(B21_table_valid_until_taken, table_valid_o && !table_ready_i, table_valid_o)
  `CF_STABLE(B21_table_address_until_taken, table_valid_o && !table_ready_i, table_address_o)
  `CF_ASSERT(B9_level_in_tables, level_q <= LastLevel)
  `CF_COVER(B9_found, done_valid_o && found_o)
  `CF_COVER(B9_hole_in_first_level, done_valid_o && !found_o && level_q == '0)
  `CF_COVER(B9_hole_in_last_level, done_valid_o && !found_o && level_q == LastLevel)

endmodule
