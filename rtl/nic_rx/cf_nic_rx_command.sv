// SPDX-License-Identifier: Apache-2.0
// The commands of the driver: executed here, or by the core if misses go to it. The core writes BUF_LIST and the rings
// over its bus; an invalidation takes effect here when the core has answered.
//
//   state | in a cycle                                                          | next
//   Serve | a command other than INVALIDATE can be done: it is answered         | Serve
//         | INVALIDATE: translations are removed                                | Fence
//   Fence | no packet is left that may use old translations: it is answered     | Serve
// A command is answered in the cycle of its ready. Registers of BUF_LIST and of a ring wait until they may be written.
`include "cf_assert.svh"

module cf_nic_rx_command #(
  parameter int unsigned Buffers = 64,
  parameter int unsigned Rings = 16,
  localparam int unsigned IndexWidth = Buffers > 1 ? $clog2(Buffers) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    by_core_i,
  // the driver
  input  logic                    valid_i,
  output logic                    ready_o,
  input  cf_nic_rx_pkg::command_t command_i,
  output logic [31:0]             answer_o,       // all ones: not known, or out of range
  // the core
  output logic                    core_valid_o,   // the command is the core's
  input  logic                    core_done_i,
  input  logic [31:0]             core_answer_i,
  // what it does
  input  logic                    list_busy_i,    // BUF_LIST must not be written
  output logic                    list_write_o,
  output logic [IndexWidth-1:0]   list_index_o,
  output logic                    list_clear_o,
  input  logic                    rings_busy_i,   // no ring may be set up
  output logic                    ring_set_o,     // by the command's index and data
  input  cf_nic_rx_pkg::counters_t counters_i,
  output logic                    invalidate_o,   // the command's root
  output logic                    invalidate_all_o,
  input  logic                    fence_done_i
);

  localparam logic [7:0]  SetBuffer   = 8'd1;
  localparam logic [7:0]  SetRing     = 8'd2;
  localparam logic [7:0]  Invalidate  = 8'd3;
  localparam logic [7:0]  Reset       = 8'd4;
  localparam logic [7:0]  ReadCounter = 8'd5;
  localparam logic [7:0]  All         = 8'd6;  // removal of all translations
  localparam logic [31:0] Refused     = 32'hffff_ffff;

  typedef enum logic [0:0] {
    Serve = 1'd0,
    Fence = 1'd1
  } state_e;

  state_e                 state_d, state_q;
  logic [31:0]            answer_q, counter;
  logic                   mine, good_buffer, good_ring;
  cf_nic_rx_pkg::buffer_t entry;
  logic                   unused_entry;

  assign entry        = command_i.data;
  assign unused_entry = ^entry;
  assign mine         = valid_i && state_q == Serve && !by_core_i;
  assign core_valid_o = valid_i && state_q == Serve && by_core_i;
  assign good_ring    = command_i.index < 16'(Rings);
  assign good_buffer  = command_i.index < 16'(Buffers) && cf_nic_rx_pkg::exists(entry.space, entry.ring, 16'(Rings));

  always_comb begin
    counter = Refused;
    if (mine && command_i.index < 16'(cf_nic_rx_pkg::Counters)) begin
      counter = counters_i[32*command_i.index[3:0]+:32];
    end
  end

  always_comb begin
    state_d      = state_q;
    ready_o      = 1'b0;
    list_write_o = 1'b0;
    list_clear_o = 1'b0;
    ring_set_o   = 1'b0;
    invalidate_o = 1'b0;
    invalidate_all_o = 1'b0;
    if (state_q == Fence) begin
      // In a reset the command is not there, and is taken anew.
      if (fence_done_i) begin
        ready_o = valid_i;
        state_d = Serve;
      end
    end else if (mine) begin
      unique case (command_i.opcode)
        SetBuffer: begin
          ready_o      = !list_busy_i || !good_buffer;
          list_write_o = !list_busy_i && good_buffer;
        end
        SetRing: begin
          ready_o    = !rings_busy_i || !good_ring;
          ring_set_o = !rings_busy_i && good_ring;
        end
        Invalidate: begin
          invalidate_o = 1'b1;
          state_d      = Fence;
        end
        Reset: begin
          ready_o      = !list_busy_i;
          list_clear_o = !list_busy_i;
        end
        ReadCounter: ready_o = 1'b1;
        All: begin
          ready_o          = 1'b1;
          invalidate_all_o = 1'b1;
        end
        default: ready_o = 1'b1;
      endcase
    end else if (core_valid_o && core_done_i) begin
      if (command_i.opcode == Invalidate) begin
        invalidate_o = 1'b1;
        state_d      = Fence;
      end else begin
        ready_o          = 1'b1;
        invalidate_all_o = command_i.opcode == All;
      end
    end
  end

  // It has a meaning only while ready_o is high.
  always_comb begin
    answer_o = core_answer_i;
    if (state_q == Fence) begin
      answer_o = answer_q;
    end else if (!by_core_i) begin
      unique case (command_i.opcode)
        SetBuffer:   answer_o = {32{!good_buffer}};
        SetRing:     answer_o = {32{!good_ring}};
        Reset, All:  answer_o = '0;
        ReadCounter: answer_o = counter;
        default:     answer_o = Refused;
      endcase
    end
  end

  assign list_index_o = command_i.index[IndexWidth-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Serve;
      answer_q <= '0;
    end else begin
      state_q <= state_d;
      if (invalidate_o) begin
        answer_q <= core_answer_i & {32{by_core_i}};
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_NEVER(B8_acknowledged_before_the_fence, ready_o && state_q == Fence && !fence_done_i)
  `CF_NEVER(B6_written_while_searched, (list_write_o || list_clear_o) && list_busy_i)
  `CF_NEVER(B17_ring_changed_while_written, ring_set_o && rings_busy_i)
  `CF_COVER(B6_write_waits, mine && command_i.opcode == SetBuffer && list_busy_i)
  `CF_COVER(B8_invalidated, invalidate_o)
  `CF_COVER(B8_invalidated_all, invalidate_all_o)

endmodule
