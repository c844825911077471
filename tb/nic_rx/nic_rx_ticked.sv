// SPDX-License-Identifier: Apache-2.0
// The receive datapath as a simulator clocks it: each change of tick_i is one rising edge of the clock, and the edge ends
// by itself. Inputs reach the block by registers, in three groups, each with a change of its set_*_i: with that of tick_i,
// they are those of the cycle that begins; without it, the cycle has others than were expected, and is evaluated again. So
// what depends on inputs is evaluated only if they change, and once in most cycles. Parameters and ports are the block's.
module nic_rx_ticked #(
  parameter int unsigned BufferWords = 1024,
  parameter int unsigned Packets = 16,
  parameter int unsigned PacketsInFlight = 8,
  parameter int unsigned Buffers = 64,
  parameter int unsigned SearchRate = 8,
  parameter int unsigned HostTlb = 32,
  parameter int unsigned GpuTlb = 32,
  parameter int unsigned Writes = 32,
  parameter int unsigned Rings = 16,
  parameter int unsigned Mailbox = 8,
  parameter int unsigned ListBase = 32'h5000_0000,
  localparam int unsigned TagWidth = $clog2(Writes)
) (
  input  logic                     tick_i,
  input  logic                     set_words_i,   // in_*
  input  logic                     set_writes_i,  // dma_ready_i, ack_*
  input  logic                     set_seldom_i,  // all others but the reset
  input  logic                     rst_ni,
  input  logic [14:0]              node_i,
  input  logic [2:0]               max_payload_i,
  input  logic                     by_core_i,
  input  logic                     soft_reset_i,
  output logic                     resetting_o,
  input  logic                     pause_i,
  output logic                     idle_o,
  output logic                     quiet_o,
  output logic                     calm_o,
  input  logic                     in_valid_i,
  output logic                     in_ready_o,
  input  logic [127:0]             in_data_i,
  input  logic                     in_last_i,
  input  logic                     in_null_i,
  output logic                     dma_valid_o,
  input  logic                     dma_ready_i,
  output cf_nic_rx_pkg::dma_kind_e dma_kind_o,
  output logic [2:0]               dma_space_o,
  output logic [63:0]              dma_address_o,
  output logic [14:0]              dma_token_o,
  output logic [15:0]              dma_packet_o,
  output logic [TagWidth-1:0]      dma_tag_o,
  output logic [127:0]             dma_data_o,
  output logic [15:0]              dma_strobe_o,
  output logic                     dma_last_o,
  input  logic                     ack_valid_i,
  input  logic [TagWidth-1:0]      ack_tag_i,
  output logic                     table_valid_o,
  input  logic                     table_ready_i,
  output logic [63:0]              table_address_o,
  input  logic                     entry_valid_i,
  input  logic [63:0]              entry_i,
  output logic                     message_valid_o,
  input  logic                     message_ready_i,
  output logic [15:0]              message_packet_o,
  output logic [255:0]             message_words_o,
  output logic                     error_valid_o,
  input  logic                     error_ready_i,
  output logic [15:0]              error_packet_o,
  output cf_nic_rx_pkg::reason_e   error_reason_o,
  output logic [15:0]              error_process_o,
  output logic [11:0]              error_tag_o,
  output logic [14:0]              error_source_o,
  output logic [31:0]              errors_lost_o,
  input  logic                     command_valid_i,
  output logic                     command_ready_o,
  input  logic [7:0]               command_opcode_i,
  input  logic [15:0]              command_index_i,
  input  logic [255:0]             command_data_i,
  output logic [31:0]              command_answer_o,
  input  logic                     consumed_valid_i,
  input  logic [7:0]               consumed_ring_i,
  input  logic [31:0]              consumed_count_i,
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
  output logic                     task_valid_o,
  input  logic                     task_ready_i,
  output logic [255:0]             task_words_o,
  output logic [63:0]              table_segment_o,
  // the clocks of the block that the next edge has
  output logic                     words_active_o,
  output logic                     beats_active_o,
  output logic                     front_active_o,
  output logic                     back_active_o,
  output logic                     tags_active_o,
  output logic                     entries_active_o,
  output logic                     rest_active_o,
  output logic                     settled_active_o,
  output logic                     clear_no          // the reset of most of its registers
);

  logic clk_i, tick_q, load_words, set_words_q, load_writes, set_writes_q, load_seldom, set_seldom_q;
  logic           in_valid_q;
  logic [127:0]   in_data_q;
  logic           in_last_q;
  logic           in_null_q;
  logic           dma_ready_q;
  logic           ack_valid_q;
  logic [TagWidth-1:0] ack_tag_q;
  logic [14:0]    node_q;
  logic [2:0]     max_payload_q;
  logic           by_core_q;
  logic           soft_reset_q;
  logic           pause_q;
  logic           table_ready_q;
  logic           entry_valid_q;
  logic [63:0]    entry_q;
  logic           message_ready_q;
  logic           error_ready_q;
  logic           command_valid_q;
  logic [7:0]     command_opcode_q;
  logic [15:0]    command_index_q;
  logic [255:0]   command_data_q;
  logic           consumed_valid_q;
  logic [7:0]     consumed_ring_q;
  logic [31:0]    consumed_count_q;
  logic           psel_q;
  logic           penable_q;
  logic           pwrite_q;
  logic [12:0]    paddr_q;
  logic [31:0]    pwdata_q;
  logic           transmit_irq_q;
  logic           task_ready_q;

  assign clk_i       = tick_i != tick_q;
  assign load_words  = set_words_i != set_words_q;
  assign load_writes = set_writes_i != set_writes_q;
  assign load_seldom = set_seldom_i != set_seldom_q;

  initial begin
    tick_q       = 1'b0;
    set_words_q  = 1'b0;
    set_writes_q = 1'b0;
    set_seldom_q = 1'b0;
  end

  assign words_active_o   = u_block.words_active;
  assign beats_active_o   = u_block.beats_active;
  assign front_active_o   = u_block.front_active;
  assign back_active_o    = u_block.back_active || !u_block.clear_n;
  assign rest_active_o    = u_block.rest_active;
  assign tags_active_o    = u_block.tags_active || !u_block.clear_n;
  assign settled_active_o = u_block.settled_active || !u_block.clear_n;
  assign entries_active_o = u_block.front_active && u_block.list_write;
  assign clear_no         = u_block.clear_n;

  always_ff @(posedge clk_i) begin
    tick_q <= tick_i;
  end

  always_ff @(posedge load_words) begin
    set_words_q <= set_words_i;
    in_valid_q  <= in_valid_i;
    in_data_q   <= in_data_i;
    in_last_q   <= in_last_i;
    in_null_q   <= in_null_i;
  end

  always_ff @(posedge load_writes) begin
    set_writes_q <= set_writes_i;
    dma_ready_q  <= dma_ready_i;
    ack_valid_q  <= ack_valid_i;
    ack_tag_q    <= ack_tag_i;
  end

  always_ff @(posedge load_seldom) begin
    set_seldom_q     <= set_seldom_i;
    node_q           <= node_i;
    max_payload_q    <= max_payload_i;
    by_core_q        <= by_core_i;
    soft_reset_q     <= soft_reset_i;
    pause_q          <= pause_i;
    table_ready_q    <= table_ready_i;
    entry_valid_q    <= entry_valid_i;
    entry_q          <= entry_i;
    message_ready_q  <= message_ready_i;
    error_ready_q    <= error_ready_i;
    command_valid_q  <= command_valid_i;
    command_opcode_q <= command_opcode_i;
    command_index_q  <= command_index_i;
    command_data_q   <= command_data_i;
    consumed_valid_q <= consumed_valid_i;
    consumed_ring_q  <= consumed_ring_i;
    consumed_count_q <= consumed_count_i;
    psel_q           <= psel_i;
    penable_q        <= penable_i;
    pwrite_q         <= pwrite_i;
    paddr_q          <= paddr_i;
    pwdata_q         <= pwdata_i;
    transmit_irq_q   <= transmit_irq_i;
    task_ready_q     <= task_ready_i;
  end

  cf_nic_rx #(
    .BufferWords(BufferWords), .Packets(Packets), .PacketsInFlight(PacketsInFlight), .Buffers(Buffers),
    .SearchRate(SearchRate), .HostTlb(HostTlb), .GpuTlb(GpuTlb), .Writes(Writes),
    .Rings(Rings), .Mailbox(Mailbox), .ListBase(ListBase)
  ) u_block (
    .node_i(node_q), .max_payload_i(max_payload_q), .by_core_i(by_core_q), .soft_reset_i(soft_reset_q),
    .pause_i(pause_q), .table_ready_i(table_ready_q), .entry_valid_i(entry_valid_q), .entry_i(entry_q),
    .message_ready_i(message_ready_q), .error_ready_i(error_ready_q), .command_valid_i(command_valid_q),
    .command_opcode_i(command_opcode_q), .command_index_i(command_index_q), .command_data_i(command_data_q),
    .consumed_valid_i(consumed_valid_q), .consumed_ring_i(consumed_ring_q), .consumed_count_i(consumed_count_q),
    .psel_i(psel_q), .penable_i(penable_q), .pwrite_i(pwrite_q), .paddr_i(paddr_q), .pwdata_i(pwdata_q),
    .transmit_irq_i(transmit_irq_q), .task_ready_i(task_ready_q), .in_valid_i(in_valid_q), .in_data_i(in_data_q),
    .in_last_i(in_last_q), .in_null_i(in_null_q), .dma_ready_i(dma_ready_q), .ack_valid_i(ack_valid_q),
    .ack_tag_i(ack_tag_q), .*
  );

endmodule
