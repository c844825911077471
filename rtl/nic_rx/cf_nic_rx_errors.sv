// SPDX-License-Identifier: Apache-2.0
// The error ring: what was dropped, oldest first. While it is full, further drops are only counted.
module cf_nic_rx_errors #(
  parameter int unsigned Entries = 16
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   dropped_i,
  input  cf_nic_rx_pkg::drop_t   drop_i,
  output logic                   valid_o,
  input  logic                   ready_i,
  output cf_nic_rx_pkg::drop_t   drop_o,
  output logic [31:0]            lost_o      // drops that had no room; wraps
);

  logic        ready;
  logic [31:0] lost_q;

  cf_fifo #(.Width($bits(drop_i)), .Depth(Entries)) u_ring (
    .clk_i, .rst_ni, .in_valid_i(dropped_i), .in_ready_o(ready), .in_data_i(drop_i), .out_valid_o(valid_o),
    .out_ready_i(ready_i), .out_data_o(drop_o)
  );

  assign lost_o = lost_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lost_q <= '0;
    end else begin
      lost_q <= lost_q + {31'd0, dropped_i && !ready};
    end
  end

endmodule
