// SPDX-License-Identifier: Apache-2.0
// The tags of writes, which are also the channel's credits: as many writes as there are tags may wait for their
// acknowledgements, which come in any order. Counts the writes of each packet that are not acknowledged. A register, with a
// clock of its own, tells for each packet whether there are none. A packet's slot is its number modulo the packets. A soft
// reset leaves this module as it is: writes that were sent are acknowledged.
`include "cf_assert.svh"

module cf_nic_rx_tags #(
  parameter int unsigned Writes = 32,   // tags
  parameter int unsigned Packets = 16,  // slots, a power of two
  localparam int unsigned TagWidth = $clog2(Writes),
  localparam int unsigned SlotWidth = $clog2(Packets)
) (
  input  logic                 clk_i,
  input  logic                 clk_settled_i,  // the same clock, while settles_o
  input  logic                 rst_ni,
  output logic                 quiet_o,        // nothing changes without a write or an acknowledgement
  // the next write; tag_o is the same until it is taken
  output logic                 tag_valid_o,
  output logic [TagWidth-1:0]  tag_o,
  input  logic                 take_i,
  input  logic                 take_counts_i,  // for its packet
  input  logic [SlotWidth-1:0] take_slot_i,    // if it counts
  // acknowledgements
  input  logic                 ack_valid_i,
  input  logic [TagWidth-1:0]  ack_tag_i,
  // a packet
  input  logic [SlotWidth-1:0] slot_i,
  output logic                 settled_o,      // all its writes so far are acknowledged
  output logic                 settles_o,      // the next edge may change that of a packet
  output logic                 home_o          // all writes are
);

  if (Writes < 2 || Writes > 256) begin : gen_check_writes
    $fatal(1, "Writes is %0d, not 2 to 256", Writes);
  end

  localparam int unsigned CountWidth = $clog2(Writes + 1);

  logic [Writes-1:0]    sent_q, counts_q, reserved;
  logic [SlotWidth-1:0] slot_q [0:Writes-1];
  logic                 valid_q, found;
  logic [TagWidth-1:0]  tag_q, free;
  logic [CountWidth*Packets-1:0] writes_q;  // not acknowledged, by slot
  logic [Packets-1:0]   settled_q;          // there are none
  logic [SlotWidth-1:0] ack_slot;
  logic                 more, fewer;

  assign quiet_o     = valid_q || sent_q == '1;
  assign tag_valid_o = valid_q;
  assign tag_o       = tag_q;
  assign home_o      = sent_q == '0;

  // The tags whose number has a 1 in digit b, from bit Writes * b on.
  function [Writes*TagWidth-1:0] tags_by_digit(input [31:0] digits);
    for (int unsigned b = 0; b < digits; b++) begin
      for (int unsigned i = 0; i < Writes; i++) begin
        tags_by_digit[Writes*b+i] = (i >> b) % 2 == 1;
      end
    end
  endfunction

  localparam logic [Writes*TagWidth-1:0] ByDigit = tags_by_digit(TagWidth);

  // The lowest tag that is neither out nor the one shown: a sum and two levels of gates, no chain over all tags.
  logic [Writes-1:0] lowest;

  always_comb begin
    reserved = sent_q;
    if (valid_q) begin
      reserved[tag_q] = 1'b1;
    end
    found  = reserved != '1;
    lowest = ~reserved & (reserved + Writes'(1));
    for (int unsigned b = 0; b < TagWidth; b++) begin
      free[b] = (lowest & ByDigit[Writes*b+:Writes]) != '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      tag_q    <= '0;
      sent_q   <= '0;
      counts_q <= '0;
    end else begin
      if (take_i || !valid_q) begin
        valid_q <= found;
        tag_q   <= free;
      end
      if (ack_valid_i) begin
        sent_q[ack_tag_i] <= 1'b0;
      end
      if (take_i) begin
        sent_q[tag_q]   <= 1'b1;
        counts_q[tag_q] <= take_counts_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      slot_q[tag_q] <= take_slot_i;
    end
  end

  assign ack_slot  = slot_q[ack_tag_i];
  assign more      = take_i && take_counts_i;
  assign fewer     = ack_valid_i && counts_q[ack_tag_i];
  assign settled_o = settled_q[slot_i];

  // A write that is taken, and one that is acknowledged, of the same packet: its number stays.
  logic stays, settles;
  assign settles_o = more || settles;

  always_comb begin
    stays   = 1'b0;
    settles = 1'b0;
    if (more) begin
      stays = fewer && ack_slot == take_slot_i;
    end
    if (fewer) begin
      settles = !stays && writes_q[CountWidth*ack_slot+:CountWidth] == CountWidth'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writes_q <= '0;
    end else if (!stays) begin
      if (more) begin
        writes_q[CountWidth*take_slot_i+:CountWidth] <=
            writes_q[CountWidth*take_slot_i+:CountWidth] + CountWidth'(1);
      end
      if (fewer) begin
        writes_q[CountWidth*ack_slot+:CountWidth] <= writes_q[CountWidth*ack_slot+:CountWidth] - CountWidth'(1);
      end
    end
  end

  always_ff @(posedge clk_settled_i or negedge rst_ni) begin
    if (!rst_ni) begin
      settled_q <= '1;
    end else begin
      if (more) begin
        settled_q[take_slot_i] <= 1'b0;
      end
      if (settles) begin
        settled_q[ack_slot] <= 1'b1;
      end
    end
  end

  `CF_ASSERT_SETUP
  `CF_REQUIRE(B16_acknowledged_unsent, !ack_valid_i || sent_q[ack_tag_i])
  `CF_REQUIRE(B16_taken_without_tag, !take_i || valid_q)
  `CF_NEVER(B16_shown_is_out, valid_q && sent_q[tag_q])
  `CF_NEVER(B16_tag_taken_twice, take_i && sent_q[tag_q])
  `CF_WHERE(B16_counts_home, home_o, writes_q == '0)
  `CF_ASSERT(B16_settled_in_register, settled_o == (writes_q[CountWidth*slot_i+:CountWidth] == '0))
  `CF_STABLE(B16_tag_until_taken, tag_valid_o && !take_i, tag_o)
`ifdef FORMAL
  // A proof counts the writes of each slot anew in every cycle; in simulation that would cost too much.
  logic [CountWidth-1:0] counted;
  logic                  agrees;
  always_comb begin
    agrees = 1'b1;
    for (int unsigned p = 0; p < Packets; p++) begin
      counted = '0;
      for (int unsigned i = 0; i < Writes; i++) begin
        counted = counted + CountWidth'(sent_q[i] && counts_q[i] && slot_q[i] == SlotWidth'(p));
      end
      agrees = agrees && writes_q[CountWidth*p+:CountWidth] == counted && settled_q[p] == (counted == '0);
    end
  end
  `CF_ASSERT(B16_counts_are_the_writes_out, agrees)
`endif
  `CF_COVER(B16_all_out, sent_q == '1)

endmodule
