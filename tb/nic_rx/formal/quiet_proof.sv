// SPDX-License-Identifier: Apache-2.0
// The block with any inputs that its ports allow. In a cycle with quiet_o in which no valid comes and nothing that is
// shown is taken, `still`, no register may change; so quiet_o stays. A command that an edge has seen may wait meanwhile.
// With calm_o, words but a packet's last and beats but a write's last may be taken, `calm`: no register may change but
// those that follow words and beats, and no other event begins. scripts/prove makes the assertions about registers.
module quiet_proof #(
  parameter int unsigned BufferWords = 512,
  parameter int unsigned Packets = 2,
  parameter int unsigned PacketsInFlight = 1,
  parameter int unsigned Buffers = 2,
  parameter int unsigned SearchRate = 1,
  parameter int unsigned HostTlb = 1,
  parameter int unsigned GpuTlb = 1,
  parameter int unsigned Writes = 2,
  parameter int unsigned Rings = 1,
  parameter int unsigned Mailbox = 2,
  localparam int unsigned TagWidth = $clog2(Writes)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [14:0]         node_i,
  input logic [2:0]          max_payload_i,
  input logic                by_core_i,
  input logic                soft_reset_i,
  input logic                pause_i,
  input logic                in_valid_i,
  input logic [127:0]        in_data_i,
  input logic                in_last_i,
  input logic                in_null_i,
  input logic                dma_ready_i,
  input logic                ack_valid_i,
  input logic [TagWidth-1:0] ack_tag_i,
  input logic                table_ready_i,
  input logic                entry_valid_i,
  input logic [63:0]         entry_i,
  input logic                message_ready_i,
  input logic                error_ready_i,
  input logic                command_valid_i,
  input logic [7:0]          command_opcode_i,
  input logic [15:0]         command_index_i,
  input logic [255:0]        command_data_i,
  input logic                consumed_valid_i,
  input logic [7:0]          consumed_ring_i,
  input logic [31:0]         consumed_count_i,
  input logic                psel_i,
  input logic                penable_i,
  input logic                pwrite_i,
  input logic [12:0]         paddr_i,
  input logic [31:0]         pwdata_i,
  input logic                transmit_irq_i,
  input logic                task_ready_i
);

  logic         resetting_o, quiet_o, calm_o, dma_valid_o, dma_last_o, table_valid_o, message_valid_o, error_valid_o;
  logic         task_valid_o, command_ready_o;
  logic         still, calm, comes, same_settings, live_q, seen_q, waits_q, still_q, calm_q;
  logic [18:0]  settings_q;
  logic [279:0] command_q;
  logic [4:0]   shown, shown_q;

  cf_nic_rx #(
    .BufferWords(BufferWords), .Packets(Packets), .PacketsInFlight(PacketsInFlight),
    .Buffers(Buffers), .SearchRate(SearchRate), .HostTlb(HostTlb), .GpuTlb(GpuTlb), .Writes(Writes), .Rings(Rings),
    .Mailbox(Mailbox)
  ) u_dut (
    .clk_i, .rst_ni, .node_i, .max_payload_i, .by_core_i, .soft_reset_i, .pause_i, .in_valid_i, .in_data_i, .in_last_i,
    .in_null_i, .dma_ready_i, .ack_valid_i, .ack_tag_i, .table_ready_i, .entry_valid_i, .entry_i, .message_ready_i,
    .error_ready_i, .command_valid_i, .command_opcode_i, .command_index_i, .command_data_i, .consumed_valid_i,
    .consumed_ring_i, .consumed_count_i, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .transmit_irq_i,
    .task_ready_i, .resetting_o, .idle_o(), .quiet_o, .calm_o, .in_ready_o(), .dma_valid_o, .dma_kind_o(),
    .dma_space_o(), .dma_address_o(), .dma_token_o(), .dma_packet_o(), .dma_tag_o(), .dma_data_o(), .dma_strobe_o(),
    .dma_last_o, .table_valid_o, .table_address_o(), .message_valid_o, .message_packet_o(), .message_words_o(),
    .error_valid_o, .error_packet_o(), .error_reason_o(), .error_process_o(), .error_tag_o(), .error_source_o(),
    .errors_lost_o(), .command_ready_o, .command_answer_o(), .prdata_o(), .pready_o(), .pslverr_o(), .irq_o(),
    .task_valid_o, .task_words_o(), .table_segment_o()
  );

  assign same_settings = live_q && settings_q == {node_i, max_payload_i, by_core_i};
  assign comes = soft_reset_i || ack_valid_i || (table_valid_o && table_ready_i) || entry_valid_i ||
                 (message_valid_o && message_ready_i) || (error_valid_o && error_ready_i) || consumed_valid_i ||
                 (psel_i && penable_i) || (task_valid_o && task_ready_i) || !same_settings;
  assign still = quiet_o && !comes && !in_valid_i && !(dma_valid_o && dma_ready_i) &&
                 (!command_valid_i || (seen_q && !command_ready_o));
  assign calm  = calm_o && !comes && !command_valid_i && !(in_valid_i && in_last_i) &&
                 !(dma_valid_o && dma_ready_i && dma_last_o);
  assign shown = {dma_valid_o, table_valid_o, message_valid_o, error_valid_o, task_valid_o};

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q  <= 1'b0;
      seen_q  <= 1'b0;
      waits_q <= 1'b0;
      still_q <= 1'b0;
      calm_q  <= 1'b0;
    end else begin
      live_q  <= 1'b1;
      seen_q  <= command_valid_i && !command_ready_o && !resetting_o;
      waits_q <= command_valid_i && !command_ready_o;
      still_q <= still;
      calm_q  <= calm;
    end
  end
  always_ff @(posedge clk_i) begin
    settings_q <= {node_i, max_payload_i, by_core_i};
    command_q  <= {command_opcode_i, command_index_i, command_data_i};
    shown_q    <= shown;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!waits_q || (command_valid_i && command_q == {command_opcode_i, command_index_i, command_data_i}));
      B21_quiet_stays: assert (!still_q || (quiet_o && shown == shown_q));
      B21_calm_stays: assert (!calm_q || (calm_o && shown == shown_q));
      C_still_while_a_command_waits: cover (still && command_valid_i);
      C_still_while_a_write_waits: cover (still && dma_valid_o);
      C_calm_with_a_word: cover (calm && in_valid_i);
    end
  end

endmodule
