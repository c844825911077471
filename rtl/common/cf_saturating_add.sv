// SPDX-License-Identifier: Apache-2.0
// A sum that stays at its greatest value instead of wrapping. Combinational. The addend may come late in a cycle: the upper
// bits with one more are there before it is known whether there is a carry.
module cf_saturating_add #(
  parameter int unsigned Width = 16,   // bits of the sum
  parameter int unsigned AddWidth = 1  // bits of the addend, less than Width
) (
  input  logic [Width-1:0]    value_i,
  input  logic [AddWidth-1:0] add_i,
  output logic [Width-1:0]    sum_o
);

  if (AddWidth < 1 || AddWidth >= Width) begin : gen_check_add_width
    $fatal(1, "%m: AddWidth is %0d, Width is %0d", AddWidth, Width);
  end

  localparam int unsigned UpperWidth = Width - AddWidth;

  logic [AddWidth:0]   lower;
  logic [UpperWidth:0] upper;  // with one more

  assign lower = {1'b0, value_i[AddWidth-1:0]} + {1'b0, add_i};
  assign upper = {1'b0, value_i[Width-1:AddWidth]} + (UpperWidth + 1)'(1);

  always_comb begin
    sum_o = {value_i[Width-1:AddWidth], lower[AddWidth-1:0]};
    if (lower[AddWidth]) begin
      sum_o = {upper[UpperWidth-1:0], lower[AddWidth-1:0]};
      if (upper[UpperWidth]) begin
        sum_o = '1;
      end
    end
  end

endmodule
