// SPDX-License-Identifier: Apache-2.0
// Protocol assertions on the ports of the receive datapath, both ways: what is offered stays until it is taken, the bus
// keeps to APB, settings keep still while packets are inside. They are bound from outside: the other side of most of them
// is not the block. A soft reset withdraws messages, drops and get requests, and the torus may withdraw a packet that waits
// to begin. soft_reset_i, transmit_irq_i and consumed_* may have any value in any cycle: a count that no ring can have is
// ignored. Writes, reads of tables, acknowledgements, entries and get requests are asserted in the RTL. Timing: all inputs
// belong to this cycle.
`include "cf_assert.svh"

module port_checks (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    soft_reset_i,
  input logic                    resetting_o,
  input logic                    idle_o,
  input logic                    clear,            // a soft reset has cleared
  // settings
  input logic [14:0]             node_i,
  input logic [2:0]              max_payload_i,
  input logic                    by_core_i,
  // packets
  input logic                    in_valid_i,
  input logic                    in_ready_o,
  input logic [127:0]            in_data_i,
  input logic                    in_last_i,
  input logic                    in_null_i,
  // messages, drops
  input logic                    message_valid_o,
  input logic                    message_ready_i,
  input logic [15:0]             message_packet_o,
  input logic [255:0]            message_words_o,
  input logic                    error_valid_o,
  input logic                    error_ready_i,
  input logic [15:0]             error_packet_o,
  input cf_nic_rx_pkg::reason_e  error_reason_o,
  input logic [15:0]             error_process_o,
  input logic [11:0]             error_tag_o,
  input logic [14:0]             error_source_o,
  // the driver
  input logic                    command_valid_i,
  input logic                    command_ready_o,
  input logic [7:0]              command_opcode_i,
  input logic [15:0]             command_index_i,
  input logic [255:0]            command_data_i,
  // the core
  input logic                    psel_i,
  input logic                    penable_i,
  input logic                    pwrite_i,
  input logic [12:0]             paddr_i,
  input logic [31:0]             pwdata_i,
  input logic [31:0]             prdata_o,
  input logic                    pready_o,
  input logic                    pslverr_o,
  input logic                    message_take_i    // the core has taken the message
);

  logic running, waits;

  assign running = !soft_reset_i && !resetting_o;
  assign waits   = psel_i && penable_i && !pready_o;

  logic cleared_q;  // of what was before this reset, nothing is left

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cleared_q <= 1'b0;
    end else begin
      cleared_q <= resetting_o && (cleared_q || clear);
    end
  end

  `CF_ASSERT_SETUP
  `CF_NEVER_WHERE(B16_nothing_left_of_a_reset, cleared_q && resetting_o, message_valid_o || error_valid_o)

  // Streams.
  `CF_STABLE(B21_word_stays, in_valid_i && !in_ready_o && running, {in_valid_i, in_data_i, in_last_i, in_null_i})
  `CF_STABLE(B21_message_stays, message_valid_o && !message_ready_i && !message_take_i && running,
             {message_valid_o, message_packet_o, message_words_o})
  `CF_STABLE(B21_drop_stays, error_valid_o && !error_ready_i && running,
             {error_valid_o, error_packet_o, error_reason_o, error_process_o, error_tag_o, error_source_o})
  `CF_STABLE(B21_command_stays, command_valid_i && !command_ready_o,
             {command_valid_i, command_opcode_i, command_index_i, command_data_i})

  // APB.
  `CF_NEVER(B21_enabled_without_select, penable_i && !psel_i)
  `CF_NEXT(B21_set_up_then_access, psel_i && !penable_i, psel_i && penable_i)
  `CF_STABLE(B21_access_keeps_its_address, psel_i && (!penable_i || !pready_o), {psel_i, pwrite_i, paddr_i, pwdata_i & {32{pwrite_i}}})
  `CF_NEXT(B21_access_waits_enabled, waits, penable_i)
  `CF_NEXT(B21_set_up_after_an_access, psel_i && penable_i && pready_o, !penable_i)
  `CF_NEVER_WHERE(B21_no_error_while_it_waits, waits, pslverr_o)
  `CF_WHERE(B21_reads_wait_for_nothing, psel_i && penable_i && !pwrite_i, pready_o)
  `CF_WHERE(B21_nothing_read_without_access, !(psel_i && penable_i), prdata_o == '0)

  // Settings.
  `CF_STABLE(B21_settings_keep_still, !idle_o, {node_i, max_payload_i, by_core_i})

endmodule

bind cf_nic_rx port_checks u_ports (.message_take_i(message_take), .*);
