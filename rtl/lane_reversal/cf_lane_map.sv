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
  localparam int unsigned LaneWidth = $clog2(Lanes + 1)
) (
  // the lanes in this cycle
  input  logic [Lanes-1:0]     serving_i,
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
  input  logic [LaneWidth-1:0] min_lanes_i,
  output logic                 spare_ab_o,   // has more lanes than the minimum
  output logic                 spare_ba_o,
  output logic                 repair_o,     // a lane leaves for a repair, unless there is a launch
  // requests
  input  logic                 launch_i,
  input  logic                 under_way_i,  // a turning lane belongs to the decision
  input  logic                 go_ab_i,      // a decision's lane leaves, to serve A->B
  input  logic                 go_ba_i,
  // changes in the next cycle
  output logic [Lanes-1:0]     leave_o,
  output logic [Lanes-1:0]     back_o
);

  logic [Lanes-1:0]     serving_ab, serving_ba, border_ab, border_ba;
  logic [LaneWidth-1:0] coming_ab, coming_ba, have_ab, have_ba, total, half, share_ab, share_ba;

  assign serving_ab = serving_i & ~to_ba_i;
  assign serving_ba = serving_i & to_ba_i;

  cf_count_ones #(.Width(Lanes)) u_lanes_ab (.bits_i(serving_ab), .count_o(lanes_ab_o));
  cf_count_ones #(.Width(Lanes)) u_lanes_ba (.bits_i(serving_ba), .count_o(lanes_ba_o));
  cf_count_ones #(.Width(Lanes)) u_coming_ab (.bits_i(turning_i & ~to_ba_i), .count_o(coming_ab));
  cf_count_ones #(.Width(Lanes)) u_coming_ba (.bits_i(turning_i & to_ba_i), .count_o(coming_ba));
  cf_count_ones #(.Width(Lanes)) u_failed (.bits_i(failed_i), .count_o(failed_o));

  assign turning_o = coming_ab + coming_ba;
  assign have_ab   = lanes_ab_o + coming_ab;
  assign have_ba   = lanes_ba_o + coming_ba;

  assign have_ab_o = have_ab;

  assign spare_ab_o = lanes_ab_o > min_lanes_i;
  assign spare_ba_o = lanes_ba_o > min_lanes_i;

  // Repair: at most one of the two, as a direction cannot have too few and one to spare.
  logic repair_ab, repair_ba;
  assign repair_ab = running_i && have_ab < min_lanes_i && spare_ba_o;
  assign repair_ba = running_i && have_ba < min_lanes_i && spare_ab_o;
  assign repair_o  = repair_ab || repair_ba;

  // Launch: at most one direction has too many.
  logic [Lanes-1:0]     candidates, first, excess;
  logic [LaneWidth-1:0] excess_count;
  logic                 excess_ab;

  assign total = have_ab + have_ba;
  assign half  = total >> 1;

  always_comb begin
    share_ab = half;
    if (total[0] && have_ab > have_ba) begin
      share_ab = half + LaneWidth'(1);
    end
  end
  assign share_ba = total - share_ab;

  assign excess_ab = lanes_ab_o > share_ab;

  always_comb begin
    if (excess_ab) begin
      excess_count = lanes_ab_o - share_ab;
    end else if (lanes_ba_o > share_ba) begin
      excess_count = lanes_ba_o - share_ba;
    end else begin
      excess_count = '0;
    end
  end

  // Lanes of A->B from the last, lanes of B->A from the first.
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (excess_ab) begin
        candidates[i] = serving_ab[Lanes-1-i];
      end else begin
        candidates[i] = serving_ba[i];
      end
    end
  end

  cf_first_ones #(.Width(Lanes)) u_first (.bits_i(candidates), .count_i(excess_count), .first_o(first));

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (excess_ab) begin
        excess[i] = first[Lanes-1-i];
      end else begin
        excess[i] = first[i];
      end
    end
  end

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      border_ba[i] = serving_ba[i] && (serving_ba & ((Lanes'(1) << i) - Lanes'(1))) == '0;
      border_ab[i] = serving_ab[i] && (serving_ab >> i) == Lanes'(1);
    end
  end

  always_comb begin
    leave_o = '0;
    back_o  = '0;
    if (launch_i) begin
      leave_o = excess;
      if (under_way_i && have_ab > share_ab) begin
        back_o = turning_i & ~to_ba_i;
      end
      if (under_way_i && have_ba > share_ba) begin
        back_o = turning_i & to_ba_i;
      end
    end else begin
      if (repair_ab || go_ab_i) begin
        leave_o = border_ba;
      end
      if (repair_ba || go_ba_i) begin
        leave_o = border_ab;
      end
    end
  end

endmodule
