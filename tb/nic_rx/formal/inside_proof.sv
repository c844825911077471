// SPDX-License-Identifier: Apache-2.0
// The whole block, composed, with any inputs: what packets carry, memories, TLBs and rings may be anything. Every packet that
// begins is in one place until it ends, with one outcome: it comes in, is checked, or is in one of the four queues, and as many
// are inside as have begun and not ended. So no queue is ever offered more than it takes, and no more packets are inside than there
// may be. An induction by one step, from any state that the assertions allow. Names with u_dut are registers of the modules
// (hierconn): their own state is what it begins with.
module inside_proof #(
  parameter int unsigned Packets = 8
) (
  input logic clk_i,
  input logic rst_ni
);

  localparam int unsigned CountWidth = $clog2(Packets + 1);

  // Checked packets, those with their buffers, those with their pages, those that were sent.
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_lookup.u_checked.head_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_lookup.u_checked.tail_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_lookup.u_searched.head_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_lookup.u_searched.tail_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_output.u_translated.head_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_output.u_translated.tail_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_output.u_sent.head_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_output.u_sent.tail_q ;
  (* hierconn *) wire [CountWidth-1:0] \u_dut.u_intake.inside_q ;
  (* hierconn *) wire                  \u_dut.u_intake.u_input.inside_q ;
  (* hierconn *) wire                  \u_dut.u_intake.u_input.valid_q ;
  (* hierconn *) wire                  \u_dut.u_lookup.u_search.state_q ;
  (* hierconn *) wire [2:0]            \u_dut.u_lookup.u_translate.state_q ;
  (* hierconn *) wire [1:0]            \u_dut.u_lookup.u_walker.state_q ;
  (* hierconn *) wire                  \u_dut.u_fence.busy_q ;
  (* hierconn *) wire                  \u_dut.u_control.u_command.state_q ;
  (* hierconn *) wire [31:0]           \u_dut.u_checks.begun_q ;
  (* hierconn *) wire [31:0]           \u_dut.u_checks.ended_q ;

  logic [CountWidth-1:0] inside, checked, searched, translated, sent;
  logic [CountWidth+2:0] held;  // wide enough for any sum
  logic                  coming, ends_now;

  assign inside     = \u_dut.u_intake.inside_q ;
  assign coming     = \u_dut.u_intake.u_input.inside_q ;
  assign ends_now   = \u_dut.u_intake.u_input.valid_q ;  // its last word has come, and it is checked
  assign checked    = \u_dut.u_lookup.u_checked.head_q - \u_dut.u_lookup.u_checked.tail_q ;
  assign searched   = \u_dut.u_lookup.u_searched.head_q - \u_dut.u_lookup.u_searched.tail_q ;
  assign translated = \u_dut.u_output.u_translated.head_q - \u_dut.u_output.u_translated.tail_q ;
  assign sent       = \u_dut.u_output.u_sent.head_q - \u_dut.u_output.u_sent.tail_q ;
  assign held       = (CountWidth + 3)'(coming) + (CountWidth + 3)'(ends_now) + (CountWidth + 3)'(checked) +
                      (CountWidth + 3)'(searched) + (CountWidth + 3)'(translated) + (CountWidth + 3)'(sent);

  // What is not connected may be anything in every cycle.
  cf_nic_rx #(
    .BufferWords(512), .Packets(Packets), .PacketsInFlight(4), .Buffers(8), .SearchRate(4), .HostTlb(1), .GpuTlb(1), .Rings(3),
    .Mailbox(2)
  ) u_dut (.clk_i, .rst_ni);

  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (rst_ni) begin
      B22_each_packet_is_in_one_place: assert ((CountWidth + 3)'(inside) == held);
      B22_no_more_than_the_packets: assert (inside <= CountWidth'(Packets));
      B22_inside_have_begun_and_not_ended: assert (\u_dut.u_checks.begun_q - \u_dut.u_checks.ended_q == 32'(inside));
      B22_searched_packet_is_there: assert (!\u_dut.u_lookup.u_search.state_q || checked != '0);
      B22_translated_packet_is_there: assert (\u_dut.u_lookup.u_translate.state_q == 3'd0 || searched != '0);
      B10_walks_for_a_packet: assert ((\u_dut.u_lookup.u_walker.state_q != 2'd0) == (\u_dut.u_lookup.u_translate.state_q == 3'd1));
      B8_fence_of_a_command: assert (\u_dut.u_fence.busy_q == \u_dut.u_control.u_command.state_q );
      C_all_inside: cover (inside == CountWidth'(Packets));
      C_in_three_queues: cover (sent != '0 && searched != '0 && checked != '0);
    end
  end

endmodule
