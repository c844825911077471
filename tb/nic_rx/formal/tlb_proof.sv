// SPDX-License-Identifier: Apache-2.0
// A TLB against the last translation that was inserted for any one page: a hit shows that translation, and none that was
// inserted before its table, or all of them, were invalidated. Insertions come after a miss of the same page, and not with an invalidation, as
// translate makes them.
module tlb_proof #(
  parameter int unsigned Entries = 2
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 lookup_i,
  input logic [1:0]           root_i,
  input logic [1:0]           number_i,
  input logic                 insert_i,
  input logic [1:0]           page_i,
  input logic                 invalidate_i,
  input logic                 invalidate_all_i,
  input logic [1:0]           invalidate_root_i
);

  (* anyconst *) logic [1:0] root, number;

  cf_nic_rx_pkg::page_t page, inserted;
  logic                 hit, known_q;
  logic [1:0]           page_q;

  always_comb begin
    inserted      = '0;
    inserted.page = {50'b0, page_i};
  end

  cf_nic_rx_tlb #(.Entries(Entries)) u_dut (
    .clk_i, .rst_ni, .lookup_i, .root_i({62'b0, root_i}), .number_i({34'b0, number_i}), .hit_o(hit), .page_o(page),
    .insert_i, .insert_page_i(inserted), .invalidate_i, .invalidate_all_i, .invalidate_root_i({62'b0, invalidate_root_i})
  );

  initial assume (!rst_ni);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q <= 1'b0;
      page_q  <= '0;
    end else if (invalidate_i && (invalidate_all_i || invalidate_root_i == root)) begin
      known_q <= 1'b0;
    end else if (insert_i && root_i == root && number_i == number) begin
      known_q <= 1'b1;
      page_q  <= page_i;
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!insert_i || lookup_i);
      if (lookup_i && hit && root_i == root && number_i == number) begin
        B8_no_hit_after_the_invalidation: assert (known_q);
        B9_hit_is_what_was_inserted: assert (page == {50'b0, page_q, 15'b0});
      end
      C_last_page_hit: cover (lookup_i && hit && page_q == 2'd3);
      C_all_removed: cover (known_q && invalidate_i && invalidate_all_i && invalidate_root_i != root);
    end
  end

endmodule
