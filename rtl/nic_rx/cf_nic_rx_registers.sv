// SPDX-License-Identifier: Apache-2.0
// The registers by which a core serves the receive path: heads of the queues of look-ups, get requests and commands,
// and their answers. registers.yaml describes them. A soft reset leaves what was written, but for what waits.
`include "cf_assert.svh"

module cf_nic_rx_registers #(
  parameter int unsigned Buffers = 64,
  parameter int unsigned Rings = 16,
  parameter int unsigned ListBase = 32'h5000_0000,  // of BUF_LIST, on the core's bus
  localparam int unsigned PlaceWidth = $clog2(cf_nic_rx_reg_pkg::Registers),
  localparam int unsigned RingWidth = Rings > 1 ? $clog2(Rings) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,           // a soft reset
  // bus
  input  logic                    access_i,          // values are asked for
  input  logic [PlaceWidth-1:0]   place_i,           // of a register
  output logic [31:0]             read_o,            // its value then
  output logic                    ok_o,              // it may be written with the value on pwdata
  output logic                    wait_o,            // not now
  input  logic                    read_i,            // strobes
  input  logic                    ask_i,             // it is to be written
  input  logic                    write_i,
  input  logic [31:0]             pwdata_i,
  output logic                    irq_o,
  // look-ups
  input  logic                    lookup_valid_i,
  input  logic [127:0]            lookup_header_i,
  output logic                    lookup_done_o,
  output logic                    lookup_dropped_o,
  output cf_nic_rx_pkg::reason_e  lookup_reason_o,
  output logic [2:0]              lookup_space_o,
  output logic [RingWidth-1:0]    lookup_ring_o,
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
  output logic                    ring_access_o,     // early in a cycle: RING_SET is to be written
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

  localparam logic [PlaceWidth-1:0] Id = PlaceWidth'(cf_nic_rx_reg_pkg::IdPlace);
  localparam logic [PlaceWidth-1:0] IrqStatus = PlaceWidth'(cf_nic_rx_reg_pkg::IrqStatusPlace);
  localparam logic [PlaceWidth-1:0] IrqEnable = PlaceWidth'(cf_nic_rx_reg_pkg::IrqEnablePlace);
  localparam logic [PlaceWidth-1:0] LookupHeader = PlaceWidth'(cf_nic_rx_reg_pkg::LookupHeaderPlace);
  localparam logic [PlaceWidth-1:0] LookupEntry = PlaceWidth'(cf_nic_rx_reg_pkg::LookupEntryPlace);
  localparam logic [PlaceWidth-1:0] LookupResult = PlaceWidth'(cf_nic_rx_reg_pkg::LookupResultPlace);
  localparam logic [PlaceWidth-1:0] Message = PlaceWidth'(cf_nic_rx_reg_pkg::MessagePlace);
  localparam logic [PlaceWidth-1:0] MessageTake = PlaceWidth'(cf_nic_rx_reg_pkg::MessageTakePlace);
  localparam logic [PlaceWidth-1:0] Task = PlaceWidth'(cf_nic_rx_reg_pkg::TaskPlace);
  localparam logic [PlaceWidth-1:0] TaskSend = PlaceWidth'(cf_nic_rx_reg_pkg::TaskSendPlace);
  localparam logic [PlaceWidth-1:0] Command = PlaceWidth'(cf_nic_rx_reg_pkg::CommandPlace);
  localparam logic [PlaceWidth-1:0] CommandData = PlaceWidth'(cf_nic_rx_reg_pkg::CommandDataPlace);
  localparam logic [PlaceWidth-1:0] CommandDone = PlaceWidth'(cf_nic_rx_reg_pkg::CommandDonePlace);
  localparam logic [PlaceWidth-1:0] RingBase = PlaceWidth'(cf_nic_rx_reg_pkg::RingBasePlace);
  localparam logic [PlaceWidth-1:0] RingBaseHigh = RingBase + PlaceWidth'(1);
  localparam logic [PlaceWidth-1:0] RingEntries = PlaceWidth'(cf_nic_rx_reg_pkg::RingEntriesPlace);
  localparam logic [PlaceWidth-1:0] RingSet = PlaceWidth'(cf_nic_rx_reg_pkg::RingSetPlace);
  localparam logic [PlaceWidth-1:0] BufList = PlaceWidth'(cf_nic_rx_reg_pkg::BufListPlace);
  localparam logic [PlaceWidth-1:0] BufListEntries = PlaceWidth'(cf_nic_rx_reg_pkg::BufListEntriesPlace);
  localparam logic [PlaceWidth-1:0] TableSegment = PlaceWidth'(cf_nic_rx_reg_pkg::TableSegmentPlace);
  localparam logic [PlaceWidth-1:0] Counter = PlaceWidth'(cf_nic_rx_reg_pkg::CounterPlace);
  localparam logic [PlaceWidth-1:0] MemoryError = PlaceWidth'(cf_nic_rx_reg_pkg::MemoryErrorPlace);
  localparam logic [PlaceWidth-1:0] RingCount = PlaceWidth'(cf_nic_rx_reg_pkg::RingsPlace);
  localparam logic [PlaceWidth-1:0] Counters = PlaceWidth'(cf_nic_rx_pkg::Counters);
  localparam logic [PlaceWidth-1:0] Two = PlaceWidth'(2);
  localparam logic [PlaceWidth-1:0] Four = PlaceWidth'(4);
  localparam logic [PlaceWidth-1:0] Eight = PlaceWidth'(8);

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
  logic         task_waits_q, lookup_stale, take_stale, send_stale, command_stale;

  // --- values
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

  // Registers of one name have places in a row; a place before the first one is far behind it, as the difference wraps.
  always_comb begin
    read_o = '0;
    if (access_i) begin
      if (place_i == Id) read_o = id;
      if (place_i == IrqStatus) read_o = status;
      if (place_i == IrqEnable) read_o = enable;
      if (place_i - LookupHeader < Four && lookup_valid_i) read_o = lookup_header_i[32*2'(place_i-LookupHeader)+:32];
      if (place_i - LookupEntry < Four) read_o = entries_q[32*2'(place_i-LookupEntry)+:32];
      if (place_i - Message < Eight && message_valid_i) read_o = message_words_i[32*3'(place_i-Message)+:32];
      if (place_i - Task < Eight) read_o = task_q[32*3'(place_i-Task)+:32];
      if (place_i == Command && command_valid_i) read_o = command;
      if (place_i - CommandData < Eight && command_valid_i) read_o = command_i.data[32*3'(place_i-CommandData)+:32];
      if (place_i == RingBase) read_o = ring_q[31:0];
      if (place_i == RingBaseHigh) read_o = ring_q[63:32];
      if (place_i == RingEntries) read_o = ring_q[95:64];
      if (place_i == BufList) read_o = ListBase;
      if (place_i == BufListEntries) read_o = Buffers;
      if (place_i - TableSegment < Two) read_o = segment_q[32*1'(place_i-TableSegment)+:32];
      if (place_i - Counter < Counters) read_o = counters_i[32*4'(place_i-Counter)+:32];
      if (place_i == MemoryError) read_o = memory_error_i;
      if (place_i == RingCount) read_o = Rings;
    end
  end

  // --- writes
  assign result = pwdata_i;

  always_comb begin
    ok_o   = 1'b0;
    wait_o = 1'b0;
    if (access_i) begin
      ok_o = place_i == IrqEnable || place_i - LookupEntry < Four || place_i == MessageTake || place_i == TaskSend ||
             place_i == CommandDone || place_i == RingBase || place_i == RingBaseHigh || place_i == RingEntries ||
             place_i - TableSegment < Two || place_i == MemoryError;
      if (place_i == LookupResult) begin
        ok_o = result.status <= 3'd4 && cf_nic_rx_pkg::exists(result.space, result.ring, 16'(Rings));
      end
      if (place_i - Task < Eight) begin
        ok_o = !task_waits_q;
      end
      if (place_i == RingSet) begin
        ok_o   = pwdata_i < Rings;
        wait_o = rings_busy_i;
      end
    end
  end

  logic unused_bits;
  assign unused_bits = ^result;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q  <= '0;
      entries_q <= '0;
      task_q    <= '0;
      ring_q    <= '0;
      segment_q <= '0;
    end else begin
      if (write_i) begin
        if (place_i == IrqEnable) begin
          enable_q <= pwdata_i[4:0];
        end
        for (int unsigned i = 0; i < 4; i++) begin
          if (place_i == LookupEntry + PlaceWidth'(i)) begin
            entries_q[32*i+:32] <= pwdata_i;
          end
        end
        for (int unsigned i = 0; i < 8; i++) begin
          if (place_i == Task + PlaceWidth'(i)) begin
            task_q[32*i+:32] <= pwdata_i;
          end
        end
        for (int unsigned i = 0; i < 3; i++) begin
          if (place_i == RingBase + PlaceWidth'(i)) begin
            ring_q[32*i+:32] <= pwdata_i;
          end
        end
        for (int unsigned i = 0; i < 2; i++) begin
          if (place_i == TableSegment + PlaceWidth'(i)) begin
            segment_q[32*i+:32] <= pwdata_i;
          end
        end
      end
    end
  end

  logic looks_up, takes, sends, ends_command;  // its answer is written
  assign looks_up     = write_i && place_i == LookupResult;
  assign takes        = write_i && place_i == MessageTake;
  assign sends        = write_i && place_i == TaskSend;
  assign ends_command = ask_i && place_i == CommandDone;  // never refused; what the bus waits for is late

  // --- answers. A get request has two, of which the core may leave out the second one, TASK_SEND.
  logic lookup_begun, take_begun, command_begun, reads_message, send_begins, unused_begun;
  assign reads_message = read_i && message_valid_i && place_i - Message < Eight;
  assign send_begins   = !take_begun && !take_stale;

  cf_nic_rx_progress u_lookup (
    .clk_i, .rst_ni, .clear_i, .read_i(read_i && lookup_valid_i && place_i - LookupHeader < Four), .begins_i(1'b0),
    .answer_i(looks_up), .begun_o(lookup_begun), .stale_o(lookup_stale)
  );
  cf_nic_rx_progress u_take (
    .clk_i, .rst_ni, .clear_i, .read_i(reads_message), .begins_i(1'b0), .answer_i(takes), .begun_o(take_begun),
    .stale_o(take_stale)
  );
  cf_nic_rx_progress u_send (
    .clk_i, .rst_ni, .clear_i, .read_i(reads_message), .begins_i(send_begins), .answer_i(sends),
    .begun_o(unused_begun), .stale_o(send_stale)
  );
  cf_nic_rx_progress u_command (
    .clk_i, .rst_ni, .clear_i, .read_i(read_i && command_valid_i && place_i == Command), .begins_i(1'b0),
    .answer_i(ends_command), .begun_o(command_begun), .stale_o(command_stale)
  );

  assign lookup_done_o    = looks_up && lookup_valid_i && lookup_begun && !lookup_stale;
  assign lookup_dropped_o = result.status != '0 || lookup_bad_i;
  assign lookup_space_o   = result.space;
  assign lookup_ring_o    = result.ring[RingWidth-1:0];
  assign lookup_entries_o = entries_q;
  assign message_take_o   = takes && message_valid_i && take_begun && !take_stale;
  assign command_done_o   = ends_command && command_valid_i && command_begun && !command_stale;
  assign ring_access_o    = ask_i && place_i == RingSet;
  assign ring_set_o       = write_i && place_i == RingSet;
  assign ring_base_o      = ring_q[63:0];
  assign ring_entries_o   = ring_q[95:64];
  assign table_segment_o  = segment_q;
  assign memory_clear_o   = pwdata_i[1:0] & {2{write_i && place_i == MemoryError}};

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
    end else if (sends && !send_stale) begin
      task_waits_q <= 1'b1;
    end
  end

  `CF_ASSERT_SETUP
  `CF_STABLE(B21_task_until_taken, task_valid_o && !task_ready_i && !clear_i, {task_valid_o, task_words_o})
  `CF_WHERE(B20_interrupt_has_a_cause, irq_o, lookup_valid_i || message_valid_i || command_valid_i || transmit_irq_i || status.memory)
  `CF_WHERE(B20_the_end_of_a_command_is_not_refused, ends_command, write_i)
  `CF_COVER(B11_core_answers, lookup_done_o)
  `CF_NEVER(B23_accepted_for_a_bad_word, lookup_done_o && lookup_bad_i && !lookup_dropped_o)
  `CF_COVER(B23_answer_for_a_bad_word, lookup_done_o && lookup_bad_i)
  `CF_COVER(B11_stale_answer, looks_up && lookup_stale)

endmodule
