// SPDX-License-Identifier: Apache-2.0
// Stands for the CRC in a proof of what it is given: another function of the words and of their order, which a solver can
// follow.
module cf_nic_rx_crc (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         step_i,
  input  logic         first_i,
  input  logic [127:0] word_i,
  output logic [31:0]  crc_o
);

  logic [31:0] crc_q, before;

  assign before = first_i ? 32'hFFFF_FFFF : crc_q;
  assign crc_o  = crc_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      crc_q <= '0;
    end else if (step_i) begin
      crc_q <= {before[30:0], before[31]} ^ word_i[31:0] ^ word_i[63:32] ^ word_i[95:64] ^ word_i[127:96];
    end
  end

endmodule
