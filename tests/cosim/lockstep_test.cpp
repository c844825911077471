// SPDX-License-Identifier: Apache-2.0
// RTL and TLM model in lockstep on the worked cases and on random traces: no difference in any cycle; and one that is
// there is found.
#include "cosim/lane_lockstep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cosim/level_difference.h"
#include "cosim/trace_player.h"
#include "link/policies.h"
#include "link/support.h"

namespace contraflow::cosim {
namespace {

using link::lane_spec;
using link::testing::generator;
using link::testing::pick;

TEST(stepped_replay, every_level_plays_the_worked_cases_as_expected) {
    for (const auto& c : link::testing::worked_cases()) {
        SCOPED_TRACE(c.name);
        stepped_rtl rtl(c.spec, "link");
        EXPECT_EQ(first_difference(replay(c.spec, rtl, c.trace), *c.expected), "");
        stepped_model model(c.spec);
        EXPECT_EQ(first_difference(replay(c.spec, model, c.trace), *c.expected), "");
        lane_lockstep both("link", c.spec);
        EXPECT_EQ(first_difference(replay(c.spec, both, c.trace), *c.expected), "");
    }
}

TEST(stepped_replay, random_traces_come_out_as_in_the_harness) {
    generator g(41);
    for (int i = 0; i < 200; ++i) {
        SCOPED_TRACE(i);
        const lane_spec s = link::testing::random_spec(g);
        const auto trace = link::testing::random_trace(g, s);
        const auto policy = link::make_lane_controller(s);
        const auto expected = link::replay(s, *policy, trace);
        stepped_rtl rtl(s, "link");
        const auto got = replay(s, rtl, trace);
        EXPECT_EQ(first_difference(got, expected), "");
        EXPECT_NEAR(got.waited.ab, expected.waited.ab, 1e-6);
        lane_lockstep both("link", s);
        EXPECT_EQ(first_difference(replay(s, both, trace), expected), "");
    }
}

// Faults and launches at any time, several in one cycle, traffic in bursts.
TEST(lane_lockstep, no_difference_whatever_happens) {
    generator g(43);
    for (int run = 0; run < 400; ++run) {
        SCOPED_TRACE(run);
        const lane_spec s = link::testing::random_spec(g);
        lane_lockstep both("link", s);
        const auto lost = static_cast<unsigned>(pick(g, 0, 3) == 0 ? pick(g, 0, s.lanes_per_direction) : 0);
        const unsigned all = 2 * s.lanes_per_direction - lost;
        both.start(pick(g, 0, 100), {all - all / 2, all / 2});
        link::by_direction<std::uint64_t> load;
        const bool breaks = pick(g, 0, 1) != 0;
        for (int t = 0; t < 1500; ++t) {
            lane_edge e;
            e.launch = pick(g, 0, 199) == 0;
            if (breaks)
                for (const auto d : link::both_directions) e.faults[d] = pick(g, 0, 149) == 0 ? 1 : 0;
            both.prepare(e);
            both.begin();
            if (pick(g, 0, 49) == 0) load = {pick(g, 0, 20), pick(g, 0, 20)};
            const auto& lanes = both.view().lanes;
            both.issue({std::min<std::uint64_t>(load.ab, lanes.ab), std::min<std::uint64_t>(load.ba, lanes.ba)});
        }
    }
}

}  // namespace
}  // namespace contraflow::cosim
