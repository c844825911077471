// SPDX-License-Identifier: Apache-2.0
// One end's control of the lanes: where it may issue, and where its driver is on. A driver is switched on only to
// serve, stays on while issued phits drain, and is off before the lane's turnaround begins. Timing: serve_o and drive_o
// are registers that follow serve_d_i and drain_d_i, the lane's outputs for the next cycle. issue_o is combinational:
// the phits put on lanes that this end serves, and no others.
module cf_lane_agent #(
  parameter int unsigned    Lanes = 16,         // physical lanes of the link
  parameter bit [Lanes-1:0] StartsServing = '0  // the lanes that this end serves after reset
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Lanes-1:0] serve_d_i,
  input  logic [Lanes-1:0] drain_d_i,
  input  logic [Lanes-1:0] valid_i,
  output logic [Lanes-1:0] serve_o,
  output logic [Lanes-1:0] drive_o,
  output logic [Lanes-1:0] issue_o
);

  logic [Lanes-1:0] serve_q, drive_d, drive_q;

  assign drive_d = serve_d_i | (drive_q & drain_d_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      serve_q <= StartsServing;
      drive_q <= StartsServing;
    end else begin
      serve_q <= serve_d_i;
      drive_q <= drive_d;
    end
  end

  assign serve_o = serve_q;
  assign drive_o = drive_q;
  assign issue_o = valid_i & serve_q;

endmodule
