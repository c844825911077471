// SPDX-License-Identifier: Apache-2.0
// What is set up and asked for: the driver's commands and the core's bus, and which of the two writes BUF_LIST and the
// rings in a cycle. If both want to, the driver's command waits.
module cf_nic_rx_control #(
  parameter int unsigned BufferWords = 1024,
  parameter int unsigned Buffers = 64,
  parameter int unsigned Rings = 16,
  parameter int unsigned ListBase = 32'h5000_0000,
  localparam int unsigned IndexWidth = Buffers > 1 ? $clog2(Buffers) : 1,
  localparam int unsigned WordWidth = $clog2(BufferWords),
  localparam int unsigned RingWidth = Rings > 1 ? $clog2(Rings) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_ni,          // reset that a soft reset gives, too
  input  logic                   clear_i,           // a soft reset
  input  logic                   by_core_i,
  // the driver
  input  logic                   command_valid_i,
  output logic                   command_ready_o,
  input  logic [7:0]             command_opcode_i,
  input  logic [15:0]            command_index_i,
  input  logic [255:0]           command_data_i,
  output logic [31:0]            command_answer_o,
  // the core's bus
  input  logic                   psel_i,
  input  logic                   penable_i,
  input  logic                   pwrite_i,
  input  logic [12:0]            paddr_i,
  input  logic [31:0]            pwdata_i,
  output logic [31:0]            prdata_o,
  output logic                   pready_o,
  output logic                   pslverr_o,
  output logic                   irq_o,
  input  logic                   transmit_irq_i,
  output logic [63:0]            table_segment_o,
  // look-ups by the core
  input  logic                   lookup_valid_i,
  input  logic [127:0]           lookup_header_i,
  output logic                   lookup_done_o,
  output logic                   lookup_dropped_o,
  output cf_nic_rx_pkg::reason_e lookup_reason_o,
  output logic [2:0]             lookup_space_o,
  output logic [RingWidth-1:0]   lookup_ring_o,
  output logic [127:0]           lookup_entries_o,
  // get requests
  input  logic                   message_valid_i,
  input  logic [255:0]           message_words_i,
  output logic                   message_take_o,
  output logic                   task_valid_o,
  input  logic                   task_ready_i,
  output logic [255:0]           task_words_o,
  // BUF_LIST
  input  logic                   list_busy_i,
  output logic                   list_write_o,
  output logic                   list_clear_o,
  output logic [IndexWidth-1:0]  list_index_o,
  output logic [7:0]             list_mask_o,
  output logic [255:0]           list_data_o,
  output logic                   list_read_o,
  output logic [IndexWidth-1:0]  list_read_index_o,
  output logic [2:0]             list_word_o,
  input  logic [31:0]            list_read_data_i,
  input  logic                   list_read_bad_i,
  // rings
  input  logic                   rings_busy_i,
  output logic                   ring_set_o,
  output logic [7:0]             ring_number_o,
  output logic [63:0]            ring_base_o,
  output logic [31:0]            ring_entries_o,
  // removal of translations
  output logic                   invalidate_o,
  output logic                   invalidate_all_o,
  input  logic                   fence_done_i,
  // bad words of memories
  input  logic                   buffer_bad_i,      // of the packet buffer
  input  logic [WordWidth-1:0]   buffer_word_i,
  input  logic                   list_bad_i,        // the search has met a bad entry of BUF_LIST
  input  logic [IndexWidth-1:0]  list_bad_entry_i,
  // counters
  input  cf_nic_rx_pkg::counters_t counters_i
);

  localparam int unsigned Registers = cf_nic_rx_reg_pkg::Registers;
  localparam int unsigned PlaceWidth = $clog2(Registers);

  cf_nic_rx_pkg::command_t command;
  logic                    command_to_core, command_done, list_write_bus, list_write_driver;
  logic                    ring_access, ring_set_bus, ring_set_driver, access;
  logic [IndexWidth-1:0]   list_index_driver;
  logic [63:0]             ring_base_bus;
  logic [31:0]             ring_entries_bus;
  logic [31:0]             value;
  logic [PlaceWidth-1:0]   place;
  logic                    ok, waits, reads, asks, writes;
  logic                    lookup_bad;
  logic [1:0]              memory_clear;

  cf_nic_rx_reg_pkg::memory_error_t memory_error;

  assign command = {command_index_i, command_opcode_i, command_data_i};

  cf_nic_rx_command #(.Buffers(Buffers), .Rings(Rings)) u_command (
    .clk_i, .rst_ni(clear_ni), .by_core_i, .valid_i(command_valid_i), .ready_o(command_ready_o), .command_i(command),
    .answer_o(command_answer_o), .core_valid_o(command_to_core), .core_done_i(command_done), .core_answer_i(pwdata_i),
    .list_busy_i(list_busy_i || list_write_bus), .list_write_o(list_write_driver), .list_index_o(list_index_driver),
    .list_clear_o, .rings_busy_i(rings_busy_i || ring_access), .ring_set_o(ring_set_driver), .counters_i,
    .invalidate_o, .invalidate_all_o, .fence_done_i
  );

  cf_nic_rx_apb #(.Registers(Registers), .Buffers(Buffers)) u_apb (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .prdata_o, .pready_o, .pslverr_o,
    .access_o(access), .place_o(place), .read_i(value),
    .ok_i(ok), .wait_i(waits), .read_o(reads), .ask_o(asks), .write_o(writes), .list_busy_i, .list_data_i(list_read_data_i),
    .list_index_o(list_read_index_o), .list_word_o, .list_read_o,
    .list_write_o(list_write_bus)
  );

  cf_nic_rx_registers #(.Buffers(Buffers), .Rings(Rings), .ListBase(ListBase)) u_registers (
    .clk_i, .rst_ni, .clear_i, .access_i(access), .place_i(place), .read_o(value), .ok_o(ok), .wait_o(waits),
    .read_i(reads), .ask_i(asks), .write_i(writes),
    .pwdata_i, .irq_o, .lookup_valid_i, .lookup_header_i, .lookup_done_o, .lookup_dropped_o, .lookup_reason_o,
    .lookup_space_o, .lookup_ring_o, .lookup_entries_o, .message_valid_i, .message_words_i, .message_take_o,
    .task_valid_o, .task_ready_i, .task_words_o, .command_valid_i(command_to_core), .command_i(command),
    .command_done_o(command_done), .rings_busy_i, .ring_access_o(ring_access), .ring_set_o(ring_set_bus), .ring_base_o(ring_base_bus),
    .ring_entries_o(ring_entries_bus), .transmit_irq_i, .table_segment_o, .counters_i, .memory_error_i(memory_error),
    .memory_clear_o(memory_clear), .lookup_bad_i(lookup_bad)
  );

  cf_nic_rx_memory_error #(.BufferWords(BufferWords), .Buffers(Buffers)) u_memory_error (
    .clk_i, .rst_ni, .buffer_bad_i, .buffer_word_i, .list_bad_i, .list_bad_entry_i, .list_read_bad_i,
    .list_read_index_i(list_read_index_o), .clear_i(memory_clear), .value_o(memory_error), .lookup_valid_i,
    .lookup_bad_o(lookup_bad)
  );

  assign list_write_o = list_write_bus || list_write_driver;
  assign ring_set_o   = ring_set_bus || ring_set_driver;

  always_comb begin
    list_index_o = list_index_driver;
    list_mask_o  = '1;
    list_data_o  = command_data_i;
    if (list_write_bus) begin
      list_index_o = list_read_index_o;
      list_mask_o  = 8'd1 << list_word_o;
      list_data_o  = {8{pwdata_i}};
    end
    ring_number_o  = command_index_i[7:0];
    ring_base_o    = command_data_i[63:0];
    ring_entries_o = command_data_i[95:64];
    if (ring_access) begin  // not ring_set_bus: the bus would be in front of the rings' sums
      ring_number_o  = pwdata_i[7:0];
      ring_base_o    = ring_base_bus;
      ring_entries_o = ring_entries_bus;
    end
  end

endmodule
