// SPDX-License-Identifier: Apache-2.0
// Translations of pages of one kind, fully associative; the oldest entry is replaced. A page belongs to a root table.
// hit_o and page_o are combinational, and 0 without lookup_i.
`include "cf_assert.svh"

module cf_nic_rx_tlb #(
  parameter int unsigned Entries = 32,
  parameter bit Gpu = 1'b0,                // pages of GPUs, which have a token
  localparam int unsigned NumberWidth = Gpu ? 32 : 36  // bits of a virtual page's number
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // look-up
  input  logic                   lookup_i,
  input  logic [63:0]            root_i,
  input  logic [NumberWidth-1:0] number_i,
  output logic                   hit_o,
  output cf_nic_rx_pkg::page_t   page_o,
  // the page that was asked for, after a miss
  input  logic                   insert_i,           // not with invalidate_i
  input  cf_nic_rx_pkg::page_t   insert_page_i,
  // entries of that root, or all, are removed
  input  logic                   invalidate_i,
  input  logic                   invalidate_all_i,   // with invalidate_i
  input  logic [63:0]            invalidate_root_i
);

  if (Entries < 1 || Entries > 64) begin : gen_check_entries
    $fatal(1, "%s is %0d, not 1 to 64", Gpu ? "GpuTlb" : "HostTlb", Entries);
  end

  localparam int unsigned IndexWidth = Entries > 1 ? $clog2(Entries) : 1;
  localparam int unsigned PageWidth = Gpu ? 63 : 52;

  logic [63:0]            root_q   [0:Entries-1];
  logic [NumberWidth-1:0] number_q [0:Entries-1];
  logic [PageWidth-1:0]   page_q   [0:Entries-1];  // without the bits that are 0 in each of them
  logic [PageWidth-1:0]   page, insert_page;
  logic [Entries-1:0]     valid_q, match;
  logic [IndexWidth-1:0]  next_q, found;           // the oldest entry; the one that matches

  always_comb begin
    found  = '0;
    match  = '0;
    page   = '0;
    if (lookup_i) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        match[i] = valid_q[i] && root_q[i] == root_i && number_q[i] == number_i;
        found    = found | (IndexWidth'(i) & {IndexWidth{match[i]}});
      end
      page = page_q[found];
    end
  end

  assign hit_o = match != '0;

  if (Gpu) begin : gen_gpu
    assign insert_page = {insert_page_i.page[51:4], insert_page_i.token};
    assign page_o      = {page[62:15], 4'd0, page[14:0]};
  end else begin : gen_host
    assign insert_page = insert_page_i.page;
    assign page_o      = {page, 15'd0};
  end

  logic unused_bits;
  assign unused_bits = ^insert_page_i;

  always_ff @(posedge clk_i) begin
    if (insert_i) begin
      root_q[next_q]   <= root_i;
      number_q[next_q] <= number_i;
      page_q[next_q]   <= insert_page;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (invalidate_i) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        if (invalidate_all_i || root_q[i] == invalidate_root_i) begin
          valid_q[i] <= 1'b0;
        end
      end
    end else if (insert_i) begin
      valid_q[next_q] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q <= '0;
    end else if (insert_i) begin
      next_q <= next_q + IndexWidth'(1);
      if (next_q == IndexWidth'(Entries - 1)) begin
        next_q <= '0;
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_NEVER(B9_two_entries_match, (match & (match - Entries'(1))) != '0)
  `CF_REQUIRE(B9_inserted_only_after_a_miss, !(insert_i && hit_o))
  `CF_REQUIRE(B8_no_insertion_while_invalidated, !(insert_i && invalidate_i))
  `CF_REQUIRE(B9_page_of_its_kind, !insert_i || (Gpu ? insert_page_i.page[3:0] == '0 : insert_page_i.token == '0))
  `CF_COVER(B9_hit, hit_o)
  `CF_COVER(B9_replaced, insert_i && valid_q[next_q])

endmodule
