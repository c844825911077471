// SPDX-License-Identifier: Apache-2.0
// A memory of one write and one read a cycle, without reset: the place for a memory macro. Timing: a word that is read
// shows one cycle later, until the next read, and is unknown if that cycle wrote it. Both clocks are the same one, which may
// stand while nothing is written, or read.
module cf_ram #(
  parameter int unsigned Width = 128,  // bits of a word
  parameter int unsigned Words = 1024,
  localparam int unsigned IndexWidth = Words > 1 ? $clog2(Words) : 1
) (
  input  logic                  clk_i,
  input  logic                  clk_read_i,
  input  logic                  write_i,
  input  logic [IndexWidth-1:0] write_address_i,
  input  logic [Width-1:0]      write_data_i,
  input  logic                  read_i,
  input  logic [IndexWidth-1:0] read_address_i,
  output logic [Width-1:0]      read_data_o
);

  logic [Width-1:0] words_q [0:Words-1];

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      words_q[write_address_i] <= write_data_i;
    end
  end

  always_ff @(posedge clk_read_i) begin
    if (read_i) begin
      read_data_o <= words_q[read_address_i];
    end
  end

endmodule
