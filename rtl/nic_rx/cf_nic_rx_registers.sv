// SPDX-License-Identifier: Apache-2.0
// The registers by which a core serves the receive path: heads of the queues of look-ups, get requests and commands,
// and their answers. registers.yaml describes them. A soft reset leaves what was written, but for what waits.
`include "cf_assert.svh"

module cf_nic_rx_registers #(
  parameter int unsigned Buffers = 64,
  parameter int unsigned Rings = 16,
  parameter int unsigned ListBase = 32'h5000_0000,  // of BUF_LIST, on the core's bus
  localparam int unsigned Registers = cf_nic_rx_reg_pkg::Registers,
  localparam int unsigned PlaceWidth = $clog2(Registers)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,           // a soft reset
  // bus
  input  logic                    access_i,          // values are asked for
  input  logic [PlaceWidth-1:0]   place_i,           // of a register
  output logic [31:0]             read_o,            // its value then
  output logic [Registers-1:0]    ok_o,
  output logic [Registers-1:0]    wait_o,
  input  logic [Registers-1:0]    read_i,            // strobes
  input  logic [Registers-1:0]    write_i,
  input  logic [31:0]             pwdata_i,
  output logic                    irq_o,
  // look-ups
  input  logic                    lookup_valid_i,
  input  logic [127:0]            lookup_header_i,
  output logic                    lookup_done_o,
  output logic                    lookup_dropped_o,
  output cf_nic_rx_pkg::reason_e  lookup_reason_o,
  output logic [2:0]              lookup_space_o,
  output logic [7:0]              lookup_ring_o,
  output logic [127:0]            lookup_entries_o,
  // get requests
  input  logic                    message_valid_i,
  input  logic [255:0]            message_words_i,
  output logic                    message_take_o,
  output logic                    task_valid_o,
  input  logic                    task_ready_i,
  output logic [255:0]            task_words_o,
  // commands
  input  logic                    command_valid_i,
  input  cf_nic_rx_pkg::command_t command_i,
  output logic                    command_done_o,    // with the value on pwdata
  // rings
  input  logic                    rings_busy_i,
  output logic                    ring_set_o,        // of the number on pwdata
  output logic [63:0]             ring_base_o,
  output logic [31:0]             ring_entries_o,
  // others
  input  logic                    transmit_irq_i,
  output logic [63:0]             table_segment_o,
  input  cf_nic_rx_pkg::counters_t counters_i,
  // bad words of memories
  input  cf_nic_rx_reg_pkg::memory_error_t memory_error_i,
  output logic [1:0]              memory_clear_o,    // BUF_LIST, packet buffer
  input  logic                    lookup_bad_i       // the core has read one for its look-up
);

  localparam int unsigned Id = cf_nic_rx_reg_pkg::IdPlace;
  localparam int unsigned IrqStatus = cf_nic_rx_reg_pkg::IrqStatusPlace;
  localparam int unsigned IrqEnable = cf_nic_rx_reg_pkg::IrqEnablePlace;
  localparam int unsigned LookupHeader = cf_nic_rx_reg_pkg::LookupHeaderPlace;
  localparam int unsigned LookupEntry = cf_nic_rx_reg_pkg::LookupEntryPlace;
  localparam int unsigned LookupResult = cf_nic_rx_reg_pkg::LookupResultPlace;
  localparam int unsigned Message = cf_nic_rx_reg_pkg::MessagePlace;
  localparam int unsigned MessageTake = cf_nic_rx_reg_pkg::MessageTakePlace;
  localparam int unsigned Task = cf_nic_rx_reg_pkg::TaskPlace;
  localparam int unsigned TaskSend = cf_nic_rx_reg_pkg::TaskSendPlace;
  localparam int unsigned Command = cf_nic_rx_reg_pkg::CommandPlace;
  localparam int unsigned CommandData = cf_nic_rx_reg_pkg::CommandDataPlace;
  localparam int unsigned CommandDone = cf_nic_rx_reg_pkg::CommandDonePlace;
  localparam int unsigned RingBase = cf_nic_rx_reg_pkg::RingBasePlace;
  localparam int unsigned RingEntries = cf_nic_rx_reg_pkg::RingEntriesPlace;
  localparam int unsigned RingSet = cf_nic_rx_reg_pkg::RingSetPlace;
  localparam int unsigned BufList = cf_nic_rx_reg_pkg::BufListPlace;
  localparam int unsigned BufListEntries = cf_nic_rx_reg_pkg::BufListEntriesPlace;
  localparam int unsigned TableSegment = cf_nic_rx_reg_pkg::TableSegmentPlace;
  localparam int unsigned Counter = cf_nic_rx_reg_pkg::CounterPlace;
  localparam int unsigned MemoryError = cf_nic_rx_reg_pkg::MemoryErrorPlace;

  cf_nic_rx_reg_pkg::id_t            id;
  cf_nic_rx_reg_pkg::irq_status_t    status;
  cf_nic_rx_reg_pkg::irq_enable_t    enable;
  cf_nic_rx_reg_pkg::lookup_result_t result;
  cf_nic_rx_reg_pkg::command_t       command;

  logic [4:0]   enable_q;
  logic [127:0] entries_q;
  logic [255:0] task_q;
  logic [95:0]  ring_q;
  logic [63:0]  segment_q;
  logic         task_waits_q, lookup_stale, message_stale, command_stale;

  logic [31:0] place;

  // --- values
  assign place = 32'(place_i);
  assign id.version = 16'(cf_nic_rx_reg_pkg::IdVersionReset);
  assign id.block   = 16'(cf_nic_rx_reg_pkg::IdBlockReset);

  always_comb begin
    status          = '0;
    status.lookup   = lookup_valid_i;
    status.message  = message_valid_i && !task_waits_q;
    status.command  = command_valid_i;
    status.transmit = transmit_irq_i;
    status.memory   = memory_error_i.packet_buffer || memory_error_i.buf_list;
    enable          = '0;
    {enable.memory, enable.transmit, enable.command, enable.message, enable.lookup} = enable_q;
    command         = '0;
    command.opcode  = command_i.opcode;
    command.index   = command_i.index;
  end

  assign irq_o = (status & enable) != '0;

  always_comb begin
    read_o = '0;
    if (access_i) begin
      if (place == Id) read_o = id;
      if (place == IrqStatus) read_o = status;
      if (place == IrqEnable) read_o = enable;
      if (place - LookupHeader < 4 && lookup_valid_i) read_o = lookup_header_i[32*2'(place-LookupHeader)+:32];
      if (place - LookupEntry < 4) read_o = entries_q[32*2'(place-LookupEntry)+:32];
      if (place - Message < 8 && message_valid_i) read_o = message_words_i[32*3'(place-Message)+:32];
      if (place - Task < 8) read_o = task_q[32*3'(place-Task)+:32];
      if (place == Command && command_valid_i) read_o = command;
      if (place - CommandData < 8 && command_valid_i) read_o = command_i.data[32*3'(place-CommandData)+:32];
      if (place == RingBase) read_o = ring_q[31:0];
      if (place == RingBase + 1) read_o = ring_q[63:32];
      if (place == RingEntries) read_o = ring_q[95:64];
      if (place == BufList) read_o = ListBase;
      if (place == BufListEntries) read_o = Buffers;
      if (place - TableSegment < 2) read_o = segment_q[32*1'(place-TableSegment)+:32];
      if (place - Counter < cf_nic_rx_pkg::Counters) read_o = counters_i[32*4'(place-Counter)+:32];
      if (place == MemoryError) read_o = memory_error_i;
    end
  end

  // --- writes
  assign result = pwdata_i;

  always_comb begin
    ok_o   = '0;
    wait_o = '0;
    if (access_i) begin
      ok_o[IrqEnable]         = 1'b1;
      ok_o[LookupEntry+:4]    = '1;
      ok_o[LookupResult]      = result.status <= 3'd4 && result.space <= 3'd4 && {8'd0, result.ring} < 16'(Rings);
      ok_o[MessageTake]       = 1'b1;
      ok_o[Task+:8]           = {8{!task_waits_q}};
      ok_o[TaskSend]          = 1'b1;
      ok_o[CommandDone]       = 1'b1;
      ok_o[RingBase+:2]       = '1;
      ok_o[RingEntries]       = 1'b1;
      ok_o[RingSet]           = pwdata_i < Rings;
      ok_o[TableSegment+:2]   = '1;
      ok_o[MemoryError]       = 1'b1;
      wait_o[RingSet]         = rings_busy_i;
    end
  end

  logic unused_bits;
  assign unused_bits = ^{read_i, write_i, result};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q  <= '0;
      entries_q <= '0;
      task_q    <= '0;
      ring_q    <= '0;
      segment_q <= '0;
    end else begin
      if (write_i[IrqEnable]) begin
        enable_q <= pwdata_i[4:0];
      end
      if (write_i != '0) begin
        for (int unsigned i = 0; i < 4; i++) begin
          if (write_i[LookupEntry+i]) begin
            entries_q[32*i+:32] <= pwdata_i;
          end
        end
        for (int unsigned i = 0; i < 8; i++) begin
          if (write_i[Task+i]) begin
            task_q[32*i+:32] <= pwdata_i;
          end
        end
        for (int unsigned i = 0; i < 3; i++) begin
          if (write_i[RingBase+i]) begin
            ring_q[32*i+:32] <= pwdata_i;
          end
        end
        for (int unsigned i = 0; i < 2; i++) begin
          if (write_i[TableSegment+i]) begin
            segment_q[32*i+:32] <= pwdata_i;
          end
        end
      end
    end
  end

  // --- answers
  cf_nic_rx_progress u_lookup (
    .clk_i, .rst_ni, .clear_i, .read_i(lookup_valid_i && read_i[LookupHeader+:4] != '0),
    .answer_i(write_i[LookupResult]), .stale_o(lookup_stale)
  );
  cf_nic_rx_progress u_message (
    .clk_i, .rst_ni, .clear_i, .read_i(message_valid_i && read_i[Message+:8] != '0), .answer_i(write_i[TaskSend]),
    .stale_o(message_stale)
  );
  cf_nic_rx_progress u_command (
    .clk_i, .rst_ni, .clear_i, .read_i(command_valid_i && read_i[Command]), .answer_i(write_i[CommandDone]),
    .stale_o(command_stale)
  );

  assign lookup_done_o    = write_i[LookupResult] && lookup_valid_i && !lookup_stale;
  assign lookup_dropped_o = result.status != '0 || lookup_bad_i;
  assign lookup_space_o   = result.space;
  assign lookup_ring_o    = result.ring;
  assign lookup_entries_o = entries_q;
  assign message_take_o   = write_i[MessageTake] && message_valid_i && !message_stale;
  assign command_done_o   = write_i[CommandDone] && command_valid_i && !command_stale;
  assign ring_set_o       = write_i[RingSet];
  assign ring_base_o      = ring_q[63:0];
  assign ring_entries_o   = ring_q[95:64];
  assign table_segment_o  = segment_q;
  assign memory_clear_o   = pwdata_i[1:0] & {2{write_i[MemoryError]}};

  always_comb begin
    unique case (result.status)
      3'd1:    lookup_reason_o = cf_nic_rx_pkg::ReasonNoBuffer;
      3'd2:    lookup_reason_o = cf_nic_rx_pkg::ReasonBounds;
      3'd3:    lookup_reason_o = cf_nic_rx_pkg::ReasonAccess;
      default: lookup_reason_o = cf_nic_rx_pkg::ReasonTranslation;
    endcase
    if (lookup_bad_i) begin
      lookup_reason_o = cf_nic_rx_pkg::ReasonMemory;
    end
  end

  // --- a get request for the transmit side
  assign task_valid_o = task_waits_q;
  assign task_words_o = task_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      task_waits_q <= 1'b0;
    end else if (clear_i || (task_waits_q && task_ready_i)) begin
      task_waits_q <= 1'b0;
    end else if (write_i[TaskSend] && !message_stale) begin
      task_waits_q <= 1'b1;
    end
  end

  `CF_ASSERT_SETUP
  `CF_STABLE(B21_task_until_taken, task_valid_o && !task_ready_i && !clear_i, {task_valid_o, task_words_o})
  `CF_WHERE(B20_interrupt_has_a_cause, irq_o, lookup_valid_i || message_valid_i || command_valid_i || transmit_irq_i || status.memory)
  `CF_COVER(B11_core_answers, lookup_done_o)
  `CF_NEVER(B23_accepted_for_a_bad_word, lookup_done_o && lookup_bad_i && !lookup_dropped_o)
  `CF_COVER(B23_answer_for_a_bad_word, lookup_done_o && lookup_bad_i)
  `CF_COVER(B11_stale_answer, write_i[LookupResult] && lookup_stale)

endmodule
