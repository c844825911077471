// SPDX-License-Identifier: Apache-2.0
// RTL and TLM model in lockstep on the worked cases and on random traces: no difference in any cycle, and the results
// of the model alone, the time in queues included.
#include "cosim/controller_set.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <gtest/gtest.h>

#include "cosim/watched_lane_set.h"
#include "link/cases/lane_harness.h"
#include "link/support.h"

namespace contraflow::cosim {
namespace {

using link::both_directions;
using link::lane_spec;
using link::testing::generator;
using link::testing::pick;

void expect_same(const link::replay_result& got, const link::replay_result& expected) {
    EXPECT_EQ(first_difference(got, expected), "");
    for (const auto d : both_directions) EXPECT_NEAR(got.waited[d], expected.waited[d], 1e-6);
}

// Plays a trace against the whole RTL and the model, cycle by cycle: the queues are here, the lanes and windows
// are those of the RTL.
class cycle_by_cycle {
public:
    explicit cycle_by_cycle(const lane_spec& s) : both_("link", s) {}

    link::replay_result play(const std::vector<link::trace_row>& trace) {
        for (const link::trace_row& row : trace) {
            launch_ = launch_ || row.launch;
            for (std::uint64_t i = 0; i < row.cycles; ++i) cycle(row.arrivals);
        }
        while (queue_.ab + queue_.ba > 0) cycle({});
        const auto drained = result_.drained;
        over_ = true;
        while (since_ != 0) cycle({});  // what the last window has decided is still to be shown
        result_.drained = drained;
        return std::move(result_);
    }

private:
    // The block shows a window's totals and its decision some cycles after its end.
    void see_window() {
        const outputs& o = both_.view();
        if (since_ == monitor_cycles) {
            ended_.lanes.busy = {o.busy_ab, o.busy_ba};
            ended_.lanes.capacity = {o.capacity_ab, o.capacity_ba};
        }
        if (since_ == decision_cycles) {
            ended_.lanes.decision = static_cast<link::lane_decision>(o.decision);
            result_.windows.push_back(ended_);
            since_ = 0;
        } else if (since_ != 0) {
            ++since_;
        }
    }

    void cycle(const link::by_direction<std::uint64_t>& arrivals) {
        both_.prepare({std::exchange(launch_, false), {}, 0});
        both_.begin();
        const link::by_direction<unsigned> lanes{both_.view().lanes_ab, both_.view().lanes_ba};
        link::by_direction<std::uint64_t> served;
        for (const auto d : both_directions) {
            queue_[d] += arrivals[d];
            served[d] = std::min<std::uint64_t>(queue_[d], lanes[d]);
            queue_[d] -= served[d];
            result_.served[d] += served[d];
            result_.waited[d] += static_cast<double>(queue_[d]);
        }
        both_.issue(served);
        ++result_.drained;
        see_window();
        if (!both_.view().window_end || over_) return;
        ended_ = {{result_.drained, {}, {}, lanes, link::lane_decision::none}, queue_};
        since_ = 1;
    }

    lane_lockstep both_;
    bool launch_ = false;
    link::by_direction<std::uint64_t> queue_;
    link::replay_result result_;
    link::replayed_window ended_;  // the window that ended last
    std::uint64_t since_ = 0;      // cycles since then; 0 when it is complete
    bool over_ = false;            // the trace and its queues are
};

TEST(lockstep, worked_cases_match) {
    for (const auto& c : link::testing::rtl_cases()) {
        SCOPED_TRACE(c.name);
        controller_set set(controller_level::lockstep, false);
        const auto lanes = set.factory()("link", c.spec, 1);
        expect_same(link::replay(*lanes, c.trace), link::replay(*link::make_lane_bank(c.spec), c.trace));
        EXPECT_EQ(first_difference(link::replay(*link::make_lane_bank(c.spec), c.trace), *c.expected), "");
        EXPECT_FALSE(set.difference().has_value()) << set.difference()->what();
    }
}

TEST(lockstep, random_traces_come_out_as_with_the_model) {
    generator g(41);
    for (int i = 0; i < 200; ++i) {
        SCOPED_TRACE(i);
        const lane_spec s = link::testing::random_rtl_spec(g);
        const auto trace = link::testing::random_trace(g, s);
        const auto expected = link::replay(*link::make_lane_bank(s), trace);
        controller_set set(controller_level::lockstep, false);
        const auto lanes = set.factory()("link", s, 1);
        expect_same(link::replay(*lanes, trace), expected);
        ASSERT_FALSE(set.difference().has_value()) << set.difference()->what();
        link::replay_result stepped = cycle_by_cycle(s).play(trace);
        stepped.turns = expected.turns;  // no output counts them: every decision and every lane is compared
        expect_same(stepped, expected);
    }
}

// Faults and launches at any time, several in one cycle, traffic in bursts, lanes that had failed before the start.
TEST(lockstep, no_difference_whatever_happens) {
    generator g(43);
    std::uint64_t failed = 0, turning = 0;
    for (int run = 0; run < 400; ++run) {
        SCOPED_TRACE(run);
        const lane_spec s = link::testing::random_rtl_spec(g);
        lane_lockstep both("link", s);
        both.start(pick(g, 0, 100), static_cast<unsigned>(pick(g, 0, 3) == 0 ? pick(g, 0, s.lanes_per_direction) : 0));
        link::by_direction<std::uint64_t> load;
        const bool breaks = pick(g, 0, 1) != 0;
        for (int t = 0; t < 1500; ++t) {
            lane_edge e;
            e.launch = pick(g, 0, 199) == 0;
            // A direction's outer lane: one at the border may leave with the same edge.
            for (const auto d : both_directions) {
                const std::uint32_t serving = d == link::direction::ab ? both.view().a_serve : both.view().b_serve;
                if (!breaks || t == 0 || serving == 0 || pick(g, 0, 149) != 0) continue;
                e.faults[d] = 1;
                e.failing |= d == link::direction::ab ? serving & (~serving + 1) : std::bit_floor(serving);
            }
            both.prepare(e);
            both.begin();
            if (pick(g, 0, 49) == 0) load = {pick(g, 0, 20), pick(g, 0, 20)};
            both.issue({std::min<std::uint64_t>(load.ab, both.view().lanes_ab),
                        std::min<std::uint64_t>(load.ba, both.view().lanes_ba)});
            turning += both.view().turning;
            failed += both.failed();
        }
    }
    EXPECT_GT(turning, 1000u);
    EXPECT_GT(failed, 1000u);
}

// Phits are counted when they are complete, not spread over the window: 16 lane-cycles in two cycles, and those of
// 3 lanes for a packet that crosses a cycle's end.
TEST(lockstep, plays_each_phit_in_the_cycle_in_which_it_was_completed) {
    lane_spec s;
    s.sample_time = {100};
    lane_lockstep both("link", s);
    lane_player player(both, 1000);
    player.add({lane_event::what::start, {}, 0, 0, 0});
    player.add(link::direction::ab, {10'000, 12'000, 8, 16'000});
    player.add(link::direction::ab, {20'500, 20'875, 8, 3'000});
    player.add(link::direction::ba, {30'750, 31'250, 8, 4'000});
    player.add(link::direction::ba, {33'500, 34'500, 1, 1'000});  // half a phit in each of two cycles
    std::vector<std::uint64_t> ab, ba;
    // The block shows a cycle's phits two cycles later.
    player.play(monitor_cycles);
    for (std::uint64_t t = 1; t <= 40; ++t) {
        player.play(t + monitor_cycles);
        ab.push_back(both.view().busy_ab);
        ba.push_back(both.view().busy_ba);
    }
    EXPECT_EQ(ab[9], 0u);
    EXPECT_EQ(ab[10], 8u);
    EXPECT_EQ(ab[11], 16u);
    EXPECT_EQ(ab[19], 16u);
    EXPECT_EQ(ab[20], 19u);
    EXPECT_EQ(ba[29], 0u);
    EXPECT_EQ(ba[30], 2u);
    EXPECT_EQ(ba[31], 4u);
    EXPECT_EQ(ba[33], 4u);
    EXPECT_EQ(ba[34], 5u);
}

TEST(lockstep, a_launch_throws_the_part_of_a_phit_away) {
    lane_spec s;
    s.sample_time = {100};
    lane_lockstep both("link", s);
    lane_player player(both, 1000);
    player.add({lane_event::what::start, {}, 0, 0, 0});
    player.add(link::direction::ab, {14'500, 15'500, 1, 1'000});
    player.add({lane_event::what::launch, {}, 15, 0, 0});
    player.add(link::direction::ab, {20'000, 21'000, 1, 1'000});
    player.play(20 + monitor_cycles);
    EXPECT_EQ(both.view().busy_ab, 0u) << "half a phit before the launch, and half of one behind it";
    player.play(21 + monitor_cycles);
    EXPECT_EQ(both.view().busy_ab, 1u);
}

}  // namespace
}  // namespace contraflow::cosim
