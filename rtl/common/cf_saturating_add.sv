// SPDX-License-Identifier: Apache-2.0
// A sum that stays at its greatest value instead of wrapping. Combinational.
module cf_saturating_add #(
  parameter int unsigned Width = 16,   // bits of the sum
  parameter int unsigned AddWidth = 1  // bits of the addend, at most Width
) (
  input  logic [Width-1:0]    value_i,
  input  logic [AddWidth-1:0] add_i,
  output logic [Width-1:0]    sum_o
);

  if (AddWidth < 1 || AddWidth > Width) begin : gen_check_add_width
    $fatal(1, "%m: AddWidth is %0d, Width is %0d", AddWidth, Width);
  end

  logic [Width:0] sum;

  assign sum = {1'b0, value_i} + (Width + 1)'(add_i);

  always_comb begin
    if (sum[Width]) begin
      sum_o = '1;
    end else begin
      sum_o = sum[Width-1:0];
    end
  end

endmodule
