// SPDX-License-Identifier: Apache-2.0
// The RTL behind a link's controller interface, stepped in batches, decides as the models do.
#include "cosim/rtl_lane_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cosim/level_difference.h"
#include "link/policies.h"
#include "link/support.h"

namespace contraflow::cosim {
namespace {

using link::lane_spec;
using link::replay;
using link::replay_result;

TEST(rtl_lane_controller, worked_cases_match) {
    for (const auto& c : link::testing::worked_cases()) {
        SCOPED_TRACE(c.name);
        rtl_lane_controller rtl("link", c.spec);
        const auto got = replay(c.spec, rtl, c.trace);
        EXPECT_EQ(first_difference(got, *c.expected), "");
        rtl.bring_to(got.drained);
        EXPECT_EQ(rtl.block().turns(), got.turns);
    }
}

TEST(rtl_lane_controller, random_traces_match_the_models) {
    link::testing::generator g(5);
    for (int i = 0; i < 300; ++i) {
        SCOPED_TRACE(i);
        const lane_spec s = link::testing::random_spec(g);
        const auto trace = link::testing::random_trace(g, s);
        const auto model = link::make_lane_controller(s);
        const replay_result expected = replay(s, *model, trace);
        rtl_lane_controller rtl("link", s);
        EXPECT_EQ(first_difference(replay(s, rtl, trace), expected), "");
    }
}

}  // namespace
}  // namespace contraflow::cosim
