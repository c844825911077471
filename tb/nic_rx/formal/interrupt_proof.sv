// SPDX-License-Identifier: Apache-2.0
// The registers of the core interrupt it exactly while a cause is on and enabled, whatever other causes are on.
module interrupt_proof #(
  parameter int unsigned Buffers = 8,
  parameter int unsigned Rings = 2,
  parameter int unsigned ListBase = 32'h5000_0000,
  localparam int unsigned PlaceWidth = $clog2(cf_nic_rx_reg_pkg::Registers)
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic                             clear_i,
  input logic                             access_i,
  input logic [PlaceWidth-1:0]            place_i,
  input logic                             read_i,
  input logic                             ask_i,
  input logic                             write_i,
  input logic [31:0]                      pwdata_i,
  input logic                             lookup_valid_i,
  input logic                             message_valid_i,
  input logic                             task_ready_i,
  input logic                             command_valid_i,
  input logic                             rings_busy_i,
  input logic                             transmit_irq_i,
  input cf_nic_rx_reg_pkg::memory_error_t memory_error_i,
  input logic                             lookup_bad_i
);

  (* hierconn *) wire [4:0] \u_dut.enable_q ;
  (* hierconn *) wire       \u_dut.task_waits_q ;
  logic [4:0] causes;
  logic       irq;

`ifdef CF_HARDWARE
  cf_nic_rx_registers u_dut (  // a netlist of these parameters
`else
  cf_nic_rx_registers #(.Buffers(Buffers), .Rings(Rings), .ListBase(ListBase)) u_dut (
`endif
    .clk_i, .rst_ni, .clear_i, .access_i, .place_i, .read_o(), .ok_o(), .wait_o(), .read_i, .ask_i, .write_i, .pwdata_i,
    .irq_o(irq), .lookup_valid_i, .lookup_header_i('0), .lookup_done_o(), .lookup_dropped_o(), .lookup_reason_o(),
    .lookup_space_o(), .lookup_ring_o(), .lookup_entries_o(), .message_valid_i, .message_words_i('0), .message_take_o(),
    .task_valid_o(), .task_ready_i, .task_words_o(), .command_valid_i, .command_i('0), .command_done_o(), .rings_busy_i,
    .ring_access_o(), .ring_set_o(), .ring_base_o(), .ring_entries_o(), .transmit_irq_i, .table_segment_o(), .counters_i('0),
    .memory_error_i, .memory_clear_o(), .lookup_bad_i
  );

  assign causes = {memory_error_i.packet_buffer || memory_error_i.buf_list, transmit_irq_i, command_valid_i,
                   message_valid_i && !\u_dut.task_waits_q , lookup_valid_i};

  always @(posedge clk_i) begin
    B20_interrupt_of_each_cause: assert (irq == ((causes & \u_dut.enable_q ) != '0));
    C_another_cause: cover (rst_ni && causes == 5'b00100 && \u_dut.enable_q == 5'b11011 && !irq);
  end

endmodule
