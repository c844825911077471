// SPDX-License-Identifier: Apache-2.0
// The window of each GPU: the page of its memory, with token, that peer writes reach now. Closed after reset.
// match_o is combinational, and 0 without look_i: the page can be written without a move. Both pages of a packet are compared:
// which one it is comes late.
`include "cf_assert.svh"

module cf_nic_rx_windows (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 look_i,   // match_o is asked for
  input  logic [2:0]           space_i,  // 0 the host, which has no window, 1 to 4 a GPU
  input  cf_nic_rx_pkg::page_t first_i,
  input  cf_nic_rx_pkg::page_t second_i,
  input  logic                 of_second_i,  // the page is second_i, else first_i
  output logic                 match_o,
  input  logic                 move_i,   // the window now shows that page
  input  logic                 close_i   // all are closed, but one that moves in this cycle
);

  localparam int unsigned Gpus = 4;

  logic [Gpus-1:0] looks, match;  // which window is compared, which one shows the page
  cf_nic_rx_pkg::page_t page;

  assign page = of_second_i ? second_i : first_i;

  always_comb begin
    looks = '0;
    if (look_i) begin
      for (int unsigned g = 0; g < Gpus; g++) begin
        looks[g] = space_i == 3'(g + 1);
      end
    end
  end

  `CF_ASSERT_SETUP
`ifndef SYNTHESIS
  // The space whose window moved in the cycle before, the page it moved to, and which windows are open and show that page.
  logic moved_q;
  logic [2:0] moved_space_q;
  cf_nic_rx_pkg::page_t moved_to_q;
  logic [Gpus-1:0] shows;
`endif

  for (genvar g = 0; g < Gpus; g++) begin : gen_gpu
    logic                 open_q;
    cf_nic_rx_pkg::page_t page_q;

    always_comb begin
      match[g] = 1'b0;
      if (looks[g]) begin
        match[g] = open_q && ((page_q == first_i && !of_second_i) || (page_q == second_i && of_second_i));
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        open_q <= 1'b0;
        page_q <= '0;
      end else if (move_i && space_i == 3'(g + 1)) begin
        open_q <= 1'b1;
        page_q <= page;
      end else if (close_i) begin
        open_q <= 1'b0;
      end
    end

`ifndef SYNTHESIS
    assign shows[g] = open_q && page_q == moved_to_q;
`endif
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      moved_q <= 1'b0;
      moved_space_q <= '0;
      moved_to_q <= '0;
    end else begin
      moved_q <= move_i;
      moved_space_q <= space_i;
      moved_to_q <= of_second_i ? second_i : first_i;
    end
  end
`endif

  assign match_o = look_i && (space_i == '0 || match != '0);

  `CF_WHERE(B15_open_after_move, moved_q, (moved_space_q == 3'd1 && shows[0]) || (moved_space_q == 3'd2 && shows[1]) ||
            (moved_space_q == 3'd3 && shows[2]) || (moved_space_q == 3'd4 && shows[3]))
  `CF_NEVER(B15_moved_where_open, move_i && match_o)
  `CF_COVER(B15_closed, close_i && match != '0)
  `CF_NEVER(B15_two_windows_match, (match & (match - Gpus'(1))) != '0)

endmodule
