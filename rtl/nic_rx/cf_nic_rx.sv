// SPDX-License-Identifier: Apache-2.0
// The receive datapath of a NIC, 16 bytes a cycle: takes packets from the torus, checks them, finds their buffers,
// translates their pages and writes their payload into the memories of the host and of GPUs. README.md has its modules,
// its times and the meaning of its ports.
//
// All ports are ready/valid: a valid and its data stay until they are taken. Inputs without a ready are always taken.
// quiet_o: the next edge changes no register, unless a valid or soft_reset_i comes, a valid shown here is taken, or a
// setting changes. It depends on registers alone, so it stays until then: a clock that stops meanwhile changes nothing.
// calm_o: the same, but for words of a packet that come in and beats of the write that dma_* shows; it stays until the
// last of either is taken.
// node_i, max_payload_i and by_core_i change only while nothing is inside; a change counts from the next cycle on.
module cf_nic_rx #(
  parameter int unsigned BufferWords = 1024,        // packet buffer, words of 16 bytes
  parameter int unsigned Packets = 16,              // in the datapath
  parameter int unsigned PacketsInFlight = 8,       // whose writes were sent and are not all acknowledged
  parameter int unsigned Buffers = 64,              // BUF_LIST
  parameter int unsigned SearchRate = 8,            // entries compared in a cycle
  parameter int unsigned HostTlb = 32,              // pages
  parameter int unsigned GpuTlb = 32,
  parameter int unsigned Writes = 32,               // that are not acknowledged
  parameter int unsigned Rings = 16,                // of completions
  parameter int unsigned Mailbox = 8,               // get requests
  parameter int unsigned ListBase = 32'h5000_0000,  // of BUF_LIST, on the core's bus
  localparam int unsigned TagWidth = $clog2(Writes)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // settings
  input  logic [14:0]              node_i,            // x 4:0, y 9:5, z 14:10
  input  logic [2:0]               max_payload_i,     // 64 bytes times two to its power, up to 6
  input  logic                     by_core_i,         // misses of the TLBs go to the core, and so do commands
  // control
  input  logic                     soft_reset_i,      // drops all packets and settings; taken while !resetting_o
  output logic                     resetting_o,
  input  logic                     pause_i,           // begin no packet
  output logic                     idle_o,            // nothing is inside; messages and errors may wait to be taken
  output logic                     quiet_o,           // see above
  output logic                     calm_o,
  // packets
  input  logic                     in_valid_i,
  output logic                     in_ready_o,
  input  logic [127:0]             in_data_i,
  input  logic                     in_last_i,
  input  logic                     in_null_i,         // a packet without a word; with in_last_i
  // writes
  output logic                     dma_valid_o,
  input  logic                     dma_ready_i,
  output cf_nic_rx_pkg::dma_kind_e dma_kind_o,
  output logic [2:0]               dma_space_o,       // 0 the host, 1 to 4 a GPU
  output logic [63:0]              dma_address_o,     // physical, of the write's first byte; of a window its page
  output logic [14:0]              dma_token_o,       // names a window
  output logic [15:0]              dma_packet_o,      // number, from 0
  output logic [TagWidth-1:0]      dma_tag_o,
  output logic [127:0]             dma_data_o,        // as it stands in the aligned 16 bytes of memory
  output logic [15:0]              dma_strobe_o,
  output logic                     dma_last_o,
  input  logic                     ack_valid_i,       // a write is done; in any order
  input  logic [TagWidth-1:0]      ack_tag_i,
  // page tables: one read at a time; an entry may come in the cycle that takes its read
  output logic                     table_valid_o,
  input  logic                     table_ready_i,
  output logic [63:0]              table_address_o,
  input  logic                     entry_valid_i,
  input  logic [63:0]              entry_i,
  // get requests, unless the core takes them by its registers
  output logic                     message_valid_o,
  input  logic                     message_ready_i,
  output logic [15:0]              message_packet_o,
  output logic [255:0]             message_words_o,   // header, payload
  // drops
  output logic                     error_valid_o,
  input  logic                     error_ready_i,
  output logic [15:0]              error_packet_o,
  output cf_nic_rx_pkg::reason_e   error_reason_o,
  output logic [15:0]              error_process_o,
  output logic [11:0]              error_tag_o,
  output logic [14:0]              error_source_o,
  output logic [31:0]              errors_lost_o,     // drops that had no room here; all are counted
  // the driver: its commands, as registers.yaml has them, answered in the cycle of their ready
  input  logic                     command_valid_i,
  output logic                     command_ready_o,
  input  logic [7:0]               command_opcode_i,
  input  logic [15:0]              command_index_i,
  input  logic [255:0]             command_data_i,
  output logic [31:0]              command_answer_o,
  input  logic                     consumed_valid_i,  // the host has read so many completions of a ring
  input  logic [7:0]               consumed_ring_i,
  input  logic [31:0]              consumed_count_i,
  // the core
  input  logic                     psel_i,
  input  logic                     penable_i,
  input  logic                     pwrite_i,
  input  logic [12:0]              paddr_i,
  input  logic [31:0]              pwdata_i,
  output logic [31:0]              prdata_o,
  output logic                     pready_o,
  output logic                     pslverr_o,
  output logic                     irq_o,
  input  logic                     transmit_irq_i,
  output logic                     task_valid_o,      // a get request for the transmit side
  input  logic                     task_ready_i,
  output logic [255:0]             task_words_o,
  output logic [63:0]              table_segment_o
);

  // Modules check the others; these are checked here, too, because a queue does not know whose depth it has.
  if (Buffers < 8) begin : gen_check_buffers
    $fatal(1, "Buffers is %0d, not 8 to 128 and a multiple of SearchRate", Buffers);
  end
  if (Mailbox < 2 || Mailbox > 256 || Mailbox != 2 ** $clog2(Mailbox)) begin : gen_check_mailbox
    $fatal(1, "Mailbox is %0d, not a power of two from 2 to 256", Mailbox);
  end

  localparam int unsigned IndexWidth = Buffers > 1 ? $clog2(Buffers) : 1;
  localparam int unsigned WordWidth = $clog2(BufferWords);
  localparam int unsigned RingWidth = Rings > 1 ? $clog2(Rings) : 1;

  cf_nic_rx_pkg::packet_t  checked, translated, ended, core_packet;
  cf_nic_rx_pkg::header_t  core_fields;
  cf_nic_rx_pkg::page_t    first, second;
  cf_nic_rx_pkg::dma_t     dma;
  cf_nic_rx_pkg::reason_e  core_reason;
  logic                    clear_n, clear, hold, discard, accept, channel_free, writes_home, begins, empty;
  logic                    intake_quiet, lookup_quiet, output_quiet, output_calm, rest_quiet;
  logic                    checked_valid, checked_ready, translated_valid, pop, skip, word_check, word_bad, sent_bad;
  logic                    mail_valid, mail_ready, dropped, accepted, mailed, retire, core_valid, core_done;
  logic [127:0]            data, mail_payload, core_header, core_entries;
  logic [8:0]              skip_words;
  logic [7:0]              list_mask, ring_number;
  logic [RingWidth-1:0]    ring, core_ring;
  logic [2:0]              space, core_space, list_word;
  logic [15:0]             searched, retired;
  cf_nic_rx_pkg::counters_t counters;
  logic                    core_dropped, message_take, list_busy, list_write, list_clear, list_read, list_read_bad;
  logic                    list_bad, rings_busy, ring_set, invalidate, invalidate_all, fence_done;
  logic [IndexWidth-1:0]   list_index, list_read_index, list_bad_entry;
  logic [WordWidth-1:0]    word, sent_bad_word;
  logic [255:0]            list_data;
  logic [31:0]             list_read_data, ring_entries;
  logic [63:0]             ring_base;

  // --- settings
  logic [14:0] node_q;
  logic [2:0]  max_payload_q;
  logic        by_core_q;

  // --- clocks: words that enter; beats that leave; what is before the writes, driver and core; what is behind;
  // beginnings and ends of packets; tags; whether packets have any. Each runs if its next edge may change a register.
  logic words_active, beats_active, front_active, back_active, rest_active, tags_active, settled_active, output_beat;
  logic clk_words, clk_beats, clk_front, clk_back, clk_rest, clk_tags, clk_settled, asked, busy;
  assign asked = command_valid_i || psel_i || soft_reset_i;

  // A statement of its own, for neither words nor beats change it. A fence that waits needs no term: its command stays.
  always_comb begin
    busy = 1'b0;
    if (!lookup_quiet || table_valid_o || entry_valid_i || mail_valid || error_valid_o ||
        (message_valid_o && (message_ready_i || message_take)) || asked || task_valid_o || resetting_o || !clear_n ||
        sent_bad || {node_i, max_payload_i, by_core_i} != {node_q, max_payload_q, by_core_q}) begin
      busy = 1'b1;
    end
  end

  assign words_active = (in_valid_i && in_ready_o) || checked_valid || !clear_n;
  assign beats_active = output_beat || skip || checked_valid || !clear_n;
  assign front_active = busy || checked_valid || begins || (in_valid_i && in_ready_o && in_last_i);
  assign rest_active  = front_active || retire;

  cf_nic_rx_gate u_gate_words (.clk_i, .enable_i(words_active), .clk_o(clk_words));
  cf_nic_rx_gate u_gate_beats (.clk_i, .enable_i(beats_active), .clk_o(clk_beats));
  cf_nic_rx_gate u_gate_front (.clk_i, .enable_i(front_active), .clk_o(clk_front));
  cf_nic_rx_gate u_gate_back (.clk_i, .enable_i(back_active || !clear_n), .clk_o(clk_back));
  cf_nic_rx_gate u_gate_tags (.clk_i, .enable_i(tags_active || !clear_n), .clk_o(clk_tags));
  cf_nic_rx_gate u_gate_settled (.clk_i, .enable_i(settled_active || !clear_n), .clk_o(clk_settled));
  cf_nic_rx_gate u_gate_rest (.clk_i, .enable_i(rest_active), .clk_o(clk_rest));

  always_ff @(posedge clk_front) begin
    node_q        <= node_i;
    max_payload_q <= max_payload_i;
    by_core_q     <= by_core_i;
  end

  // --- control
  cf_nic_rx_reset u_reset (
    .clk_i(clk_front), .rst_ni, .soft_reset_i, .clear_no(clear_n), .clear_o(clear), .hold_o(hold), .discard_o(discard),
    .accept_o(accept), .busy_o(resetting_o), .channel_free_i(channel_free), .writes_home_i(writes_home),
    .table_valid_i(table_valid_o), .table_taken_i(table_valid_o && table_ready_i), .entry_valid_i,
    .word_taken_i(in_valid_i && in_ready_o), .word_last_i(in_last_i)
  );

  cf_nic_rx_fence u_fence (
    .clk_i(clk_front), .rst_ni(clear_n), .invalidate_i(invalidate), .searched_i(searched), .retired_i(retired),
    .done_o(fence_done)
  );

  assign idle_o     = empty && writes_home && !resetting_o;
  assign rest_quiet = lookup_quiet && !fence_done && !resetting_o && clear_n;
  assign quiet_o    = intake_quiet && output_quiet && rest_quiet;
  assign calm_o     = intake_quiet && output_calm && rest_quiet;

  // --- packets
  cf_nic_rx_intake #(.BufferWords(BufferWords), .Packets(Packets)) u_intake (
    .clk_i(clk_words), .clk_read_i(clk_beats), .clk_rest_i(clk_rest), .rst_ni(clear_n), .node_i(node_q),
    .accept_i(accept && !pause_i), .discard_i(discard), .begin_o(begins), .empty_o(empty), .quiet_o(intake_quiet),
    .in_valid_i, .in_ready_o, .in_data_i, .in_last_i, .in_null_i, .out_valid_o(checked_valid),
    .out_ready_i(checked_ready), .out_packet_o(checked), .retire_i(retire), .data_o(data), .check_i(word_check),
    .bad_o(word_bad), .word_o(word), .pop_i(pop), .skip_i(skip), .skip_words_i(skip_words), .message_o(mail_payload),
    .message_pop_i(mailed)
  );

  cf_nic_rx_lookup #(
    .Packets(Packets), .Buffers(Buffers), .SearchRate(SearchRate), .Rings(Rings), .HostTlb(HostTlb), .GpuTlb(GpuTlb)
  ) u_lookup (
    .clk_i(clk_front), .rst_ni(clear_n), .by_core_i(by_core_q), .quiet_o(lookup_quiet), .in_valid_i(checked_valid),
    .in_ready_o(checked_ready), .in_packet_i(checked), .out_valid_o(translated_valid), .out_ready_i(1'b1),
    .out_packet_o(translated), .out_ring_o(ring), .out_space_o(space), .out_first_o(first), .out_second_o(second),
    .list_busy_o(list_busy), .list_clear_i(list_clear), .list_write_i(list_write), .list_index_i(list_index),
    .list_mask_i(list_mask), .list_data_i(list_data), .list_read_i(list_read), .list_read_index_i(list_read_index),
    .list_read_word_i(list_word), .list_read_data_o(list_read_data), .list_read_bad_o(list_read_bad),
    .list_bad_o(list_bad), .list_bad_entry_o(list_bad_entry), .invalidate_i(invalidate),
    .invalidate_all_i(invalidate_all), .invalidate_root_i(command_data_i[63:0]), .searched_o(searched), .table_valid_o,
    .table_ready_i, .table_address_o, .entry_valid_i(entry_valid_i && !resetting_o), .entry_i,
    .core_valid_o(core_valid), .core_packet_o(core_packet), .core_done_i(core_done), .core_dropped_i(core_dropped),
    .core_reason_i(core_reason), .core_space_i(core_space), .core_ring_i(core_ring), .core_entries_i(core_entries)
  );

  cf_nic_rx_output #(
    .BufferWords(BufferWords), .Packets(Packets), .PacketsInFlight(PacketsInFlight), .Writes(Writes), .Rings(Rings)
  ) u_output (
    .clk_i(clk_beats), .clk_tags_i(clk_tags), .clk_settled_i(clk_settled), .clk_rest_i(clk_back),
    .tags_active_o(tags_active), .settled_active_o(settled_active), .active_o(back_active), .beat_o(output_beat),
    .rst_ni(clear_n), .hard_rst_ni(rst_ni), .max_payload_i(max_payload_q), .hold_i(hold), .free_o(channel_free),
    .home_o(writes_home), .quiet_o(output_quiet), .calm_o(output_calm), .close_i(invalidate_all),
    .in_valid_i(translated_valid), .in_packet_i(translated), .in_ring_i(ring),
    .in_space_i(space), .in_first_i(first), .in_second_i(second), .data_i(data), .check_o(word_check), .bad_i(word_bad),
    .word_i(word), .bad_o(sent_bad), .bad_word_o(sent_bad_word), .pop_o(pop), .skip_o(skip), .skip_words_o(skip_words),
    .dma_valid_o, .dma_ready_i, .dma_o(dma), .dma_tag_o, .ack_valid_i, .ack_tag_i, .rings_busy_o(rings_busy),
    .ring_set_i(ring_set), .ring_set_number_i(ring_number), .ring_set_base_i(ring_base),
    .ring_set_entries_i(ring_entries), .consumed_valid_i, .consumed_ring_i, .consumed_count_i, .end_packet_o(ended),
    .message_valid_o(mail_valid), .message_ready_i(mail_ready), .dropped_o(dropped), .accepted_o(accepted),
    .mailed_o(mailed), .retire_o(retire), .retired_o(retired)
  );

  assign dma_kind_o    = dma.kind;
  assign dma_space_o   = dma.space;
  assign dma_address_o = dma.address;
  assign dma_token_o   = dma.token;
  assign dma_packet_o  = dma.number;
  assign dma_data_o    = dma.data;
  assign dma_strobe_o  = dma.strobe;
  assign dma_last_o    = dma.last;

  // --- ends
  cf_nic_rx_ends #(.Mailbox(Mailbox)) u_ends (
    .clk_i(clk_rest), .rst_ni(clear_n), .node_i(node_q), .packet_i(ended), .dropped_i(dropped), .accepted_i(accepted),
    .mail_valid_i(mail_valid), .mail_ready_o(mail_ready), .mailed_i(mailed), .payload_i(mail_payload), .message_valid_o,
    .message_ready_i(message_ready_i || message_take), .message_packet_o, .message_words_o, .error_valid_o,
    .error_ready_i, .error_packet_o, .error_reason_o, .error_process_o, .error_tag_o, .error_source_o, .errors_lost_o,
    .counters_o(counters)
  );

  logic unused_fields;
  assign unused_fields = ^core_packet;

  // --- commands and the core
  assign core_fields = {core_packet.tag, core_packet.source, core_packet.notify, core_packet.process_id,
                        core_packet.address};
  cf_nic_rx_header u_core_header (
    .get_i(1'b0), .node_i(node_q), .length_i(core_packet.length), .fields_i(core_fields), .header_o(core_header)
  );

  cf_nic_rx_control #(
    .BufferWords(BufferWords), .Buffers(Buffers), .Rings(Rings), .ListBase(ListBase)
  ) u_control (
    .clk_i(clk_front), .rst_ni, .clear_ni(clear_n), .clear_i(clear), .by_core_i(by_core_q),
    .command_valid_i(command_valid_i && !resetting_o), .command_ready_o, .command_opcode_i, .command_index_i,
    .command_data_i, .command_answer_o, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .prdata_o, .pready_o,
    .pslverr_o, .irq_o, .transmit_irq_i, .table_segment_o, .lookup_valid_i(core_valid), .lookup_header_i(core_header),
    .lookup_done_o(core_done), .lookup_dropped_o(core_dropped), .lookup_reason_o(core_reason),
    .lookup_space_o(core_space), .lookup_ring_o(core_ring), .lookup_entries_o(core_entries),
    .message_valid_i(message_valid_o), .message_words_i(message_words_o), .message_take_o(message_take), .task_valid_o,
    .task_ready_i, .task_words_o, .list_busy_i(list_busy), .list_write_o(list_write), .list_clear_o(list_clear),
    .list_index_o(list_index), .list_mask_o(list_mask), .list_data_o(list_data), .list_read_o(list_read),
    .list_read_index_o(list_read_index), .list_word_o(list_word), .list_read_data_i(list_read_data),
    .list_read_bad_i(list_read_bad), .buffer_bad_i(sent_bad), .buffer_word_i(sent_bad_word), .list_bad_i(list_bad),
    .list_bad_entry_i(list_bad_entry), .rings_busy_i(rings_busy), .ring_set_o(ring_set), .ring_number_o(ring_number),
    .ring_base_o(ring_base), .ring_entries_o(ring_entries), .invalidate_o(invalidate),
    .invalidate_all_o(invalidate_all), .fence_done_i(fence_done), .counters_i(counters)
  );

`ifndef SYNTHESIS
  cf_nic_rx_checks #(.Packets(Packets), .PacketsInFlight(PacketsInFlight), .Writes(Writes)) u_checks (
    .clk_i, .rst_ni(clear_n), .idle_i(idle_o), .begins_i(begins), .accepted_i(accepted), .mailed_i(mailed),
    .dropped_i(dropped), .ended_i(ended), .counters_i(counters), .dma_valid_i(dma_valid_o),
    .dma_taken_i(dma_valid_o && dma_ready_i), .dma_i(dma), .dma_tag_i(dma_tag_o), .ack_valid_i, .ack_tag_i,
    .bad_i(word_bad && pop), .invalidate_i(invalidate), .fence_done_i(fence_done), .invalidate_all_i(invalidate_all),
    .searched_i(searched)
  );
`endif

endmodule
