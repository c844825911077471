// SPDX-License-Identifier: Apache-2.0
// The counters of packets that have ended: an end adds one to its counter, and nothing to the others; a put that is accepted
// adds its bytes. So each bit of them is right, also those that no simulation reaches.
module counters_proof (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   accepted_i,
  input logic                   mailed_i,
  input logic                   dropped_i,
  input cf_nic_rx_pkg::reason_e reason_i,
  input logic [12:0]            length_i
);

  localparam int unsigned Reasons = cf_nic_rx_pkg::Reasons;

  cf_nic_rx_pkg::counters_t counters, wanted_q;
  logic [31:0]           accepted, mailed;
  logic [63:0]           bytes;
  logic [32*Reasons-1:0] drops;

  cf_nic_rx_counters u_dut (
    .clk_i, .rst_ni, .accepted_i, .mailed_i, .dropped_i, .reason_i, .length_i, .counters_o(counters)
  );

  always_comb begin
    accepted = counters[31:0] + {31'd0, accepted_i};
    mailed   = counters[63:32] + {31'd0, mailed_i};
    bytes    = counters[127:64] + {51'd0, length_i & {13{accepted_i}}};
    for (int unsigned r = 0; r < Reasons; r++) begin
      drops[32*r+:32] = counters[128+32*r+:32] + {31'd0, dropped_i && reason_i == 4'(r)};
    end
  end

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wanted_q <= '0;
    end else begin
      wanted_q <= {drops, bytes, mailed, accepted};
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!dropped_i || reason_i < 4'(Reasons));
      B20_one_counter_by_one: assert (counters == wanted_q);
      C_last_reason: cover (dropped_i && reason_i == 4'(Reasons - 1) && accepted_i && length_i == 13'd4096);
    end
  end

endmodule
