// SPDX-License-Identifier: Apache-2.0
// The write channel alone: while it says that it is quiet, its registers stay unless a beat is taken, whatever its inputs do.
module channel_rest_proof #(
  parameter int unsigned TagWidth = 5
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                hold_i,
  input logic                first_valid_i,
  input cf_nic_rx_pkg::dma_t first_i,
  input logic                second_valid_i,
  input cf_nic_rx_pkg::dma_t second_i,
  input logic                tag_valid_i,
  input logic [TagWidth-1:0] tag_i,
  input logic                dma_ready_i
);

  (* hierconn *) wire                \u_dut.offered_q ;
  (* hierconn *) wire                \u_dut.second_q ;
  (* hierconn *) wire                \u_dut.burst_q ;
  (* hierconn *) wire [TagWidth-1:0] \u_dut.tag_q ;

  logic                dma_valid, quiet, stays_q;
  logic [TagWidth+2:0] registers, registers_q;

`ifdef CF_HARDWARE
  cf_nic_rx_channel u_dut (  // a netlist of these parameters
`else
  cf_nic_rx_channel #(.TagWidth(TagWidth)) u_dut (
`endif
    .clk_i, .rst_ni, .hold_i, .free_o(), .quiet_o(quiet), .first_valid_i, .first_ready_o(), .first_i, .second_valid_i,
    .second_ready_o(), .second_offered_o(), .second_i, .tag_valid_i, .tag_i, .take_o(), .dma_valid_o(dma_valid), .dma_ready_i,
    .dma_o(), .dma_tag_o()
  );

  assign registers = {\u_dut.offered_q , \u_dut.second_q , \u_dut.burst_q , \u_dut.tag_q };

  initial assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    stays_q     <= rst_ni && quiet && !(dma_valid && dma_ready_i);
    registers_q <= registers;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B22_quiet_channel_stays: assert (!stays_q || registers == registers_q);
      C_quiet_and_offered: cover (stays_q && dma_valid);
    end
  end

endmodule
