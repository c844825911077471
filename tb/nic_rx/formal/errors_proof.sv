// SPDX-License-Identifier: Apache-2.0
// The error ring: a drop is shown, or if the ring is full, counted as lost; one at a time, so all bits of the counter are right.
module errors_proof #(
  parameter int unsigned Entries = 16
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 dropped_i,
  input cf_nic_rx_pkg::drop_t drop_i,
  input logic                 ready_i
);

  localparam int unsigned CountWidth = $clog2(Entries) + 1;

  logic                  valid, full;
  logic [CountWidth-1:0] count_q;
  logic [31:0]           lost, wanted_q;
  cf_nic_rx_pkg::drop_t  shown;

`ifdef CF_HARDWARE
  cf_nic_rx_errors u_dut (  // a netlist with that many entries
`else
  cf_nic_rx_errors #(.Entries(Entries)) u_dut (
`endif
    .clk_i, .rst_ni, .dropped_i, .drop_i, .valid_o(valid), .ready_i, .drop_o(shown), .lost_o(lost)
  );

  assign full = count_q == CountWidth'(Entries);

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q  <= '0;
      wanted_q <= '0;
    end else begin
      count_q  <= count_q + CountWidth'(dropped_i && !full) - CountWidth'(valid && ready_i);
      wanted_q <= lost + {31'd0, dropped_i && full};
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B20_shows_unless_empty: assert (valid == (count_q != '0));
      B20_lost_counts_by_one: assert (lost == wanted_q);
      C_lost: cover (lost == 32'd1);
    end
  end

endmodule
