// SPDX-License-Identifier: Apache-2.0
// The synthesised netlist with four-valued signals, clocked with what tests did at the pins of the RTL: after reset
// no output bit that has a meaning is ever unknown, and all of them are the RTL's. A line of the vectors is a cycle: the
// inputs without the clock, and the outputs, in the order of the block's ports. With +unreset the reset is left out: then
// outputs must be unknown, or this check detects nothing.
`timescale 1ns / 1ns
module x_check;

  parameter Writes = 32;
  localparam TAG = $clog2(Writes);
  localparam INPUTS = 1 + 15 + 3 + 3 + 1 + 128 + 2 + 1 + 1 + TAG + 1 + 1 + 64 + 2 + 1 + 8 + 16 + 256 + 1 + 8 + 32 + 3 + 13 + 32 + 2;
  localparam OUTPUTS = 4 + 1 + 1 + 2 + 3 + 64 + 15 + 16 + TAG + 128 + 16 + 1 + 1 + 64 + 1 + 16 + 256 + 1 + 16 + 4 + 16 + 12 + 15
                       + 32 + 1 + 32 + 32 + 3 + 1 + 256 + 64;

  reg clk = 0;
  reg rst_n = 1, by_core = 0, soft_reset = 0, pause = 0, in_valid = 0, in_last = 0, in_null = 0, dma_ready = 0, ack_valid = 0;
  reg table_ready = 0, entry_valid = 0, message_ready = 0, error_ready = 0, command_valid = 0, consumed_valid = 0;
  reg psel = 0, penable = 0, pwrite = 0, transmit_irq = 0, task_ready = 0;
  reg [14:0] node = 0;
  reg [2:0] max_payload = 0;
  reg [127:0] in_data = 0;
  reg [TAG-1:0] ack_tag = 0;
  reg [63:0] entry = 0;
  reg [7:0] command_opcode = 0, consumed_ring = 0;
  reg [15:0] command_index = 0;
  reg [255:0] command_data = 0;
  reg [31:0] consumed_count = 0, pwdata = 0;
  reg [12:0] paddr = 0;

  wire resetting, idle, quiet, calm, in_ready, dma_valid, dma_last, table_valid, message_valid, error_valid, command_ready;
  wire pready, pslverr, irq, task_valid;
  wire [1:0] dma_kind;
  wire [2:0] dma_space;
  wire [63:0] dma_address, table_address, table_segment;
  wire [14:0] dma_token, error_source;
  wire [15:0] dma_packet, dma_strobe, message_packet, error_packet, error_process;
  wire [TAG-1:0] dma_tag;
  wire [127:0] dma_data;
  wire [255:0] message_words, task_words;
  wire [3:0] error_reason;
  wire [11:0] error_tag;
  wire [31:0] errors_lost, command_answer, prdata;

  cf_nic_rx dut (
    .clk_i(clk), .rst_ni(rst_n), .node_i(node), .max_payload_i(max_payload), .by_core_i(by_core), .soft_reset_i(soft_reset),
    .resetting_o(resetting), .pause_i(pause), .idle_o(idle), .quiet_o(quiet), .calm_o(calm), .in_valid_i(in_valid),
    .in_ready_o(in_ready), .in_data_i(in_data), .in_last_i(in_last), .in_null_i(in_null), .dma_valid_o(dma_valid),
    .dma_ready_i(dma_ready), .dma_kind_o(dma_kind), .dma_space_o(dma_space), .dma_address_o(dma_address),
    .dma_token_o(dma_token), .dma_packet_o(dma_packet), .dma_tag_o(dma_tag), .dma_data_o(dma_data), .dma_strobe_o(dma_strobe),
    .dma_last_o(dma_last), .ack_valid_i(ack_valid), .ack_tag_i(ack_tag), .table_valid_o(table_valid),
    .table_ready_i(table_ready), .table_address_o(table_address), .entry_valid_i(entry_valid), .entry_i(entry),
    .message_valid_o(message_valid), .message_ready_i(message_ready), .message_packet_o(message_packet),
    .message_words_o(message_words), .error_valid_o(error_valid), .error_ready_i(error_ready), .error_packet_o(error_packet),
    .error_reason_o(error_reason), .error_process_o(error_process), .error_tag_o(error_tag), .error_source_o(error_source),
    .errors_lost_o(errors_lost), .command_valid_i(command_valid), .command_ready_o(command_ready),
    .command_opcode_i(command_opcode), .command_index_i(command_index), .command_data_i(command_data),
    .command_answer_o(command_answer), .consumed_valid_i(consumed_valid), .consumed_ring_i(consumed_ring),
    .consumed_count_i(consumed_count), .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .paddr_i(paddr),
    .pwdata_i(pwdata), .prdata_o(prdata), .pready_o(pready), .pslverr_o(pslverr), .irq_o(irq), .transmit_irq_i(transmit_irq),
    .task_valid_o(task_valid), .task_ready_i(task_ready), .task_words_o(task_words), .table_segment_o(table_segment)
  );

  always #5 clk = !clk;

  reg [INPUTS-1:0] given;
  reg [OUTPUTS-1:0] wanted;
  wire [OUTPUTS-1:0] shown = {
    resetting, idle, quiet, calm, in_ready, dma_valid, dma_kind, dma_space, dma_address, dma_token, dma_packet, dma_tag,
    dma_data, dma_strobe, dma_last, table_valid, table_address, message_valid, message_packet, message_words, error_valid,
    error_packet, error_reason, error_process, error_tag, error_source, errors_lost, command_ready, command_answer, prdata,
    pready, pslverr, irq, task_valid, task_words, table_segment
  };

  // Data have a meaning while they are valid, bytes of a write where its strobe is, a word of BUF_LIST when it was written, and
  // the valid bit of an entry always.
  wire [127:0] bytes;
  genvar i;
  generate
    for (i = 0; i < 16; i = i + 1) assign bytes[8*i+:8] = {8{dma_valid && dma_strobe[i]}};
  endgenerate
  reg [1023:0] list_written = 0;  // words of BUF_LIST; a reset does not touch them
  wire access = psel && penable, of_list = paddr[12], of_first_word = paddr[4:2] == 0;
  wire has_word = !of_list || pslverr === 1'b1 || list_written[paddr[11:2]];  // a refused access reads 0
  wire [OUTPUTS-1:0] meant = {
    6'h3f, {2 + 3 + 64 + 15 + 16 + TAG{dma_valid}}, bytes, {17{dma_valid}}, 1'b1, {64{table_valid}}, 1'b1,
    {16 + 256{message_valid}}, 1'b1, {16 + 4 + 16 + 12 + 15{error_valid}}, {33{1'b1}}, {32{command_valid && command_ready}},
    {31{access && pready && has_word}}, access && pready && (has_word || of_first_word), {2{access}}, 2'b11, {256{task_valid}}, {64{1'b1}}
  };

  integer file, read, cycles = 0, unknown = 0, different = 0, limit = 1000000;
  integer written = 0, moved = 0, handed = 0, dropped = 0, completed = 0, walked = 0, resets = 0, list_read = 0;
  reg unreset, was_reset = 0;
  reg [1023:0] name;

  initial begin
    if ($value$plusargs("cycles=%d", limit)) ;
    if ($value$plusargs("vectors=%s", name)) ;
    unreset = $test$plusargs("unreset");
    file = $fopen(name, "r");
    read = file == 0 ? 0 : 2;
    @(negedge clk) ;
    while (read == 2 && cycles < limit) begin
      read = $fscanf(file, "%b %b\n", given, wanted);
      if (read == 2) begin
        {rst_n, node, max_payload, by_core, soft_reset, pause, in_valid, in_data, in_last, in_null, dma_ready, ack_valid, ack_tag,
         table_ready, entry_valid, entry, message_ready, error_ready, command_valid, command_opcode, command_index, command_data,
         consumed_valid, consumed_ring, consumed_count, psel, penable, pwrite, paddr, pwdata, transmit_irq, task_ready} = given;
        resets = resets + (was_reset && !rst_n);
        was_reset = was_reset || !rst_n;
        if (unreset) rst_n = 1;
        #4;  // just before the edge, when everything has settled
        if (rst_n && was_reset) begin
          cycles = cycles + 1;
          if (^(shown & meant) === 1'bx) unknown = unknown + 1;
          if ((shown & meant) !== (wanted & meant)) different = different + 1;
          written = written + (dma_valid === 1'b1 && dma_ready && dma_last === 1'b1 && dma_kind === 2'd0);
          moved = moved + (dma_valid === 1'b1 && dma_ready && dma_last === 1'b1 && dma_kind === 2'd1);
          completed = completed + (dma_valid === 1'b1 && dma_ready && dma_last === 1'b1 && dma_kind === 2'd2);
          handed = handed + (message_valid === 1'b1 && message_ready);
          dropped = dropped + (error_valid === 1'b1 && error_ready);
          walked = walked + (table_valid === 1'b1 && table_ready);
          if (access && pready === 1'b1 && pwrite && pslverr === 1'b0 && of_list) list_written[paddr[11:2]] = 1;
          if (command_valid && !by_core && command_ready === 1'b1 && command_opcode == 1 && command_answer === 0) begin
            list_written[8*command_index+:8] = 8'hff;  // SET_BUFFER
          end
          list_read = list_read + (access && pready === 1'b1 && !pwrite && of_list && list_written[paddr[11:2]]);
        end
        @(negedge clk) ;
      end
    end
    $display("x_check: cycles %0d unknown %0d different %0d written %0d moved %0d completed %0d handed %0d dropped %0d walked %0d resets %0d list_read %0d",
             cycles, unknown, different, written, moved, completed, handed, dropped, walked, resets, list_read);
    $finish;
  end

endmodule
