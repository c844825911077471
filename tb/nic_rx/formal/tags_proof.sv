// SPDX-License-Identifier: Apache-2.0
// The tags of writes with a writer that takes a tag only where there is one, and acknowledgements of what was sent, in
// any order. It counts the writes that are out by itself: credits are never negative, never more than there are tags,
// and home when all are acknowledged.
module tags_proof (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       wants_i,
  input logic       counts_i,
  input logic       slot_i,
  input logic       ack_valid_i,
  input logic [1:0] ack_tag_i,
  input logic       asked_i
);

  localparam int unsigned Writes = 3;
  localparam int unsigned Packets = 2;

  logic       tag_valid, take, settled, home;
  logic [1:0] tag;
  logic [2:0] out_q, counted_q, of_slot_1_q;  // writes that are out; for a packet; for slot 1
  logic [2:0] out_of_slot;

  assign take = wants_i && tag_valid;

  cf_nic_rx_tags #(.Writes(Writes), .Packets(Packets)) u_dut (
    .clk_i, .clk_settled_i(clk_i), .rst_ni, .tag_valid_o(tag_valid), .tag_o(tag), .take_i(take), .take_counts_i(counts_i), .take_slot_i(slot_i),
    .ack_valid_i, .ack_tag_i, .slot_i(asked_i), .settled_o(settled), .home_o(home)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_q       <= '0;
      counted_q   <= '0;
      of_slot_1_q <= '0;
    end else begin
      if (ack_valid_i) begin
        out_q[ack_tag_i] <= 1'b0;
      end
      if (take) begin
        out_q[tag]       <= 1'b1;
        counted_q[tag]   <= counts_i;
        of_slot_1_q[tag] <= slot_i;
      end
    end
  end

  assign out_of_slot = out_q & counted_q & (asked_i ? of_slot_1_q : ~of_slot_1_q);

  initial assume (!rst_ni);
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!ack_valid_i || (ack_tag_i < 2'd3 && out_q[ack_tag_i]));
      B16_a_tag_that_is_out_is_not_given: assert (!tag_valid || (tag < 2'd3 && !out_q[tag]));
      B16_home_if_all_are_acknowledged: assert (home == (out_q == '0));
      B16_settled_if_its_writes_are: assert (settled == (out_of_slot == '0));
      C_all_out: cover (out_q == '1);
      C_home_again: cover (home && settled && counted_q == '1);
    end
  end

endmodule
