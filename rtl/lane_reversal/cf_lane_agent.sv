// SPDX-License-Identifier: Apache-2.0
// One end's control of the lanes: where it may issue, and where its driver is on. A driver is switched on only to
// serve, stays on while issued phits drain, and is off before the lane's turnaround begins. Timing: serve_o and drive_o
// are registers. begin_i says that a lane begins a turn with the next cycle, and comes late in the cycle: what the lane does
// then is in begun_*_i, and without it in kept_*_i. issue_o is combinational: the phits put on lanes that this end serves,
// and no others.
module cf_lane_agent #(
  parameter int unsigned    Lanes = 16,         // physical lanes of the link
  parameter bit [Lanes-1:0] StartsServing = '0  // the lanes that this end serves after reset
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Lanes-1:0] begin_i,
  input  logic [Lanes-1:0] kept_serve_i,
  input  logic [Lanes-1:0] kept_drain_i,
  input  logic [Lanes-1:0] begun_serve_i,
  input  logic [Lanes-1:0] begun_drain_i,
  input  logic [Lanes-1:0] valid_i,
  output logic [Lanes-1:0] serve_o,
  output logic [Lanes-1:0] drive_o,
  output logic [Lanes-1:0] issue_o
);

  logic [Lanes-1:0] serve_d, serve_q, drive_d, drive_q, kept_drive, begun_drive;

  assign kept_drive  = kept_serve_i | (drive_q & kept_drain_i);
  assign begun_drive = begun_serve_i | (drive_q & begun_drain_i);
  assign serve_d     = (begun_serve_i & begin_i) | (kept_serve_i & ~begin_i);
  assign drive_d     = (begun_drive & begin_i) | (kept_drive & ~begin_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      serve_q <= StartsServing;
      drive_q <= StartsServing;
    end else begin
      serve_q <= serve_d;
      drive_q <= drive_d;
    end
  end

  assign serve_o = serve_q;
  assign drive_o = drive_q;
  assign issue_o = valid_i & serve_q;

endmodule
