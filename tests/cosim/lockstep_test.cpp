// SPDX-License-Identifier: Apache-2.0
// RTL and TLM model in lockstep on the worked cases and on random traces: no difference in any cycle, and the results
// of the model alone.
#include "cosim/controller_set.h"

#include <gtest/gtest.h>

#include "cosim/watched_lane_set.h"
#include "link/lane_harness.h"
#include "link/support.h"

namespace contraflow::cosim {
namespace {

using link::lane_spec;
using link::testing::generator;

TEST(lockstep, worked_cases_match) {
    for (const auto& c : link::testing::worked_cases()) {
        SCOPED_TRACE(c.name);
        controller_set set(controller_level::lockstep, false);
        const auto lanes = set.factory()("link", c.spec, 1);
        EXPECT_EQ(first_difference(link::replay(*lanes, c.trace), *c.expected), "");
        EXPECT_FALSE(set.difference().has_value()) << set.difference()->what();
    }
}

TEST(lockstep, random_traces_come_out_as_with_the_model) {
    generator g(41);
    for (int i = 0; i < 200; ++i) {
        SCOPED_TRACE(i);
        const lane_spec s = link::testing::random_spec(g);
        const auto trace = link::testing::random_trace(g, s);
        const auto expected = link::replay(*link::make_lane_bank(s), trace);
        controller_set set(controller_level::lockstep, false);
        const auto lanes = set.factory()("link", s, 1);
        EXPECT_EQ(first_difference(link::replay(*lanes, trace), expected), "");
        ASSERT_FALSE(set.difference().has_value()) << set.difference()->what();
    }
}

// Phits as they were completed, not spread over the window: 16 lane-cycles in two cycles, and 3 lanes' worth of a
// packet that goes over a cycle's end.
TEST(lockstep, plays_each_phit_in_the_cycle_in_which_it_was_completed) {
    lane_spec s;
    s.sample_time = {100};
    lane_lockstep both("link", s);
    lane_player player(both, 1000);
    player.add({lane_event::what::start, {}, 0, 0, 0});
    player.add(link::direction::ab, {10'000, 12'000, 8, 16'000});
    player.add(link::direction::ab, {20'500, 20'875, 8, 3'000});
    player.add(link::direction::ba, {30'750, 31'250, 8, 4'000});
    std::vector<std::uint64_t> ab, ba;
    for (std::uint64_t t = 1; t <= 40; ++t) {
        player.play(t);
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
}

}  // namespace
}  // namespace contraflow::cosim
