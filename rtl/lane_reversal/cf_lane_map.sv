// SPDX-License-Identifier: Apache-2.0
// Which physical lane serves which direction, and which lanes leave. Combinational: its outputs take effect with the
// next cycle.
//
// A lane leaves by one of these, the first that applies:
//   launch   every direction with more than its share gives up its surplus. The share is half of the working lanes;
//            an odd lane stays with the direction that has more. A decision's lane that turns to a direction with a
//            surplus turns back; every other turning lane keeps its target and time.
//   repair   a direction with fewer lanes than the minimum, lanes that turn to it included, gets one from the other,
//            if that has more than the minimum; one lane per cycle.
//   decision one lane of the giving direction.
// The lane at the border leaves: for A->B the last that serves, for B->A the first. After reset the lower half of the
// lanes serves A->B, so that each direction's lanes stay adjacent while none fails.
module cf_lane_map #(
  parameter int unsigned Lanes = 16,  // physical lanes of the link
  localparam int unsigned LaneWidth = $clog2(Lanes + 1),
  localparam int unsigned IndexWidth = $clog2(Lanes)
) (
  // the lanes in this cycle
  input  logic [Lanes-1:0]     serving_ab_i,
  input  logic [Lanes-1:0]     serving_ba_i,
  input  logic [Lanes-1:0]     turning_i,
  input  logic [Lanes-1:0]     failed_i,
  input  logic [Lanes-1:0]     to_ba_i,
  output logic [LaneWidth-1:0] lanes_ab_o,
  output logic [LaneWidth-1:0] lanes_ba_o,
  output logic [LaneWidth-1:0] turning_o,
  output logic [LaneWidth-1:0] failed_o,
  output logic [LaneWidth-1:0] have_ab_o,    // lanes that serve A->B or turn to it
  // the direction that may give a lane, and the one that needs one
  input  logic                 running_i,
  input  logic [LaneWidth-1:0] half_i,       // of the lanes that have not failed
  input  logic                 odd_i,        // and one is left
  input  logic [LaneWidth-1:0] min_lanes_i,
  output logic                 spare_ab_o,   // has more lanes than the minimum
  output logic                 spare_ba_o,
  output logic                 repair_o,     // a lane leaves for a repair, unless there is a launch
  // requests
  input  logic                 launch_i,
  input  logic                 under_way_i,  // a turning lane belongs to the decision
  input  logic                 due_ab_i,     // a decision's lane leaves, to serve A->B, if there is one to spare
  input  logic                 due_ba_i,
  // changes in the next cycle
  output logic [Lanes-1:0]     leave_o,
  output logic [Lanes-1:0]     back_o
);

  logic [Lanes-1:0]     border_ab, border_ba;
  logic [Lanes-1:0]     may_have_ab, may_have_ba;          // lanes that serve the direction or turn to it
  // In unary: more lanes than that serve it, or serve it or turn to it.
  logic [Lanes-1:0]     serve_over_ab, serve_over_ba, have_over_ab, have_over_ba;

  assign may_have_ab = ~failed_i & ~to_ba_i;
  assign may_have_ba = ~failed_i & to_ba_i;

  cf_unary_count #(.Width(Lanes)) u_serve_over_ab (.bits_i(serving_ab_i), .more_than_o(serve_over_ab));
  cf_unary_count #(.Width(Lanes)) u_serve_over_ba (.bits_i(serving_ba_i), .more_than_o(serve_over_ba));
  cf_unary_count #(.Width(Lanes)) u_have_over_ab (.bits_i(may_have_ab), .more_than_o(have_over_ab));
  cf_unary_count #(.Width(Lanes)) u_have_over_ba (.bits_i(may_have_ba), .more_than_o(have_over_ba));

  cf_count_ones #(.Width(Lanes)) u_lanes_ab (.bits_i(serving_ab_i), .count_o(lanes_ab_o));
  cf_count_ones #(.Width(Lanes)) u_lanes_ba (.bits_i(serving_ba_i), .count_o(lanes_ba_o));
  cf_count_ones #(.Width(Lanes)) u_have_ab (.bits_i(may_have_ab), .count_o(have_ab_o));
  cf_count_ones #(.Width(Lanes)) u_turning (.bits_i(turning_i), .count_o(turning_o));
  cf_count_ones #(.Width(Lanes)) u_failed (.bits_i(failed_i), .count_o(failed_o));

  // Comparisons: a bit of a unary number.
  logic [IndexWidth-1:0] least, fewest, half, half_and_odd;
  assign least        = IndexWidth'(min_lanes_i);
  assign fewest       = IndexWidth'(min_lanes_i - LaneWidth'(1));
  assign half         = IndexWidth'(half_i);
  assign half_and_odd = IndexWidth'(half_i + LaneWidth'(odd_i));

  assign spare_ab_o = serve_over_ab[least];
  assign spare_ba_o = serve_over_ba[least];

  // Repair: at most one of the two, as a direction cannot have too few and one to spare. For the same reason a decision
  // whose time has come and a repair take the same lane, if both take one: the repair drops the decision.
  logic lack_ab, lack_ba, give_ab, give_ba;
  assign lack_ab  = running_i && !have_over_ab[fewest];
  assign lack_ba  = running_i && !have_over_ba[fewest];
  assign repair_o = (lack_ab && spare_ba_o) || (lack_ba && spare_ab_o);
  assign give_ab  = spare_ab_o && (lack_ba || due_ba_i);
  assign give_ba  = spare_ba_o && (lack_ab || due_ab_i);

  // Launch: a lane of A->B is one too many if its share of others is below it, a lane of B->A if that many are above it.
  // Both shares are half of the lanes that work, one of them perhaps with the odd lane; which one is known last.
  logic [Lanes-1:0]           excess, serving_ba_mirrored;
  logic [Lanes*LaneWidth-1:0] up_to_ab, from_ba;   // by lane, with it; from_ba from the last lane down
  logic [LaneWidth-1:0]       more_than_half;      // by one
  logic                       odd_ab, odd_ba;      // the share includes the odd lane

  assign odd_ab = odd_i && have_over_ab[half];
  assign odd_ba = odd_i && !have_over_ab[half];

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      serving_ba_mirrored[i] = serving_ba_i[Lanes-1-i];
    end
  end

  cf_ones_up_to #(.Width(Lanes)) u_up_to_ab (.bits_i(serving_ab_i), .up_to_o(up_to_ab));
  cf_ones_up_to #(.Width(Lanes)) u_from_ba (.bits_i(serving_ba_mirrored), .up_to_o(from_ba));

  assign more_than_half = half_i + LaneWidth'(1);

  for (genvar i = 0; i < Lanes; i++) begin : gen_excess
    logic [LaneWidth-1:0] up_to, from;
    assign up_to     = up_to_ab[LaneWidth*i+:LaneWidth];
    assign from      = from_ba[LaneWidth*(Lanes-1-i)+:LaneWidth];
    assign excess[i] = (serving_ab_i[i] && (odd_ab ? up_to > more_than_half : up_to > half_i)) ||
                       (serving_ba_i[i] && (odd_ba ? from > more_than_half : from > half_i));
  end

  // A direction has more than its share. With an odd lane, the one with more than half has that one, too.
  logic surplus_ab, surplus_ba;
  assign surplus_ab = have_over_ab[half_and_odd];
  assign surplus_ba = have_over_ba[half_and_odd];

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      border_ba[i] = serving_ba_i[i] && (serving_ba_i & ((Lanes'(1) << i) - Lanes'(1))) == '0;
      border_ab[i] = serving_ab_i[i] && (serving_ab_i >> i) == Lanes'(1);
    end
  end

  always_comb begin
    leave_o = '0;
    back_o  = '0;
    if (launch_i) begin
      leave_o = excess;
      if (under_way_i && surplus_ab) begin
        back_o = turning_i & ~to_ba_i;
      end
      if (under_way_i && surplus_ba) begin
        back_o = turning_i & to_ba_i;
      end
    end else begin
      leave_o = (border_ba & {Lanes{give_ba}}) | (border_ab & {Lanes{give_ab}});
    end
  end

endmodule
