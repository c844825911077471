// SPDX-License-Identifier: Apache-2.0
// A queue by its ports alone, as its own block's assertions have it: ready unless it is full, valid unless it is empty. In this
// block no queue fills, because each has room for all packets, so that no test tells whether one is ready too long.
module queue_proof #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             in_valid_i,
  input logic [Width-1:0] in_data_i,
  input logic             out_ready_i
);

  localparam int unsigned CountWidth = $clog2(Depth) + 1;

  logic                  in_ready, out_valid, waits_q;
  logic [Width-1:0]      out_data, out_data_q;
  logic [CountWidth-1:0] count_q;

`ifdef CF_HARDWARE
  cf_fifo u_dut (  // a netlist of that width and depth
`else
  cf_fifo #(.Width(Width), .Depth(Depth)) u_dut (
`endif
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_data_i, .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data)
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      waits_q <= 1'b0;
    end else begin
      count_q <= count_q + CountWidth'(in_valid_i && in_ready) - CountWidth'(out_valid && out_ready_i);
      waits_q <= out_valid && !out_ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    out_data_q <= out_data;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      F5_ready_unless_full: assert (in_ready == (count_q != CountWidth'(Depth)));
      F6_valid_unless_empty: assert (out_valid == (count_q != '0));
      F2_data_until_taken: assert (!waits_q || out_data == out_data_q);
      C_full: cover (!in_ready);
      C_waits: cover (waits_q && out_ready_i);
    end
  end

endmodule
