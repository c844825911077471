// SPDX-License-Identifier: Apache-2.0
// Levels that differ: the difference is found in the first cycle that shows it, and reported with both states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cosim/controller_set.h"
#include "cosim/lane_player.h"
#include "cosim/watched_lane_set.h"
#include "cosim/wrong_cores.h"
#include "link/cases/lane_harness.h"
#include "link/reversible_link.h"
#include "link/traffic.h"

namespace contraflow::cosim {
namespace difference_test {

using link::lane_spec;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(difference, lockstep_stops_in_the_cycle_in_which_it_shows) {
    lane_spec rtl, model;
    rtl.sample_time = model.sample_time = {1000};
    rtl.switch_time = {50};
    model.switch_time = {51};
    lane_lockstep both("link3", rtl, model);
    lane_player player(both, 1);
    player.add({lane_event::what::start, {}, 0, 0, 0});
    player.add(link::direction::ab, {0, 5000, 8, 40'000});
    try {
        player.play(5000);
        FAIL() << "no difference was found";
    } catch (const level_difference& d) {
        // Decided in 999, turning from 1008 to 1061, or to 1062.
        EXPECT_EQ(d.cycle(), 1062u);
        EXPECT_EQ(d.where(), "link3");
        EXPECT_THAT(d.what(),
                    AllOf(HasSubstr("link3: RTL and TLM differ in cycle 1062: lanes, turning lanes\n"),
                          HasSubstr("RTL: lanes 9 + 7, 0 turning"), HasSubstr("TLM: lanes 8 + 7, 1 turning")));
    }
}

TEST(difference, each_of_what_both_have_is_compared) {
    struct expectation {
        std::string what;
        void (*change)(lane_spec& model);
    };
    const std::vector<expectation> all{
        {"window's end", [](lane_spec& s) { s.sample_time = {999}; }},
        {"cycle 1007: decision\n", [](lane_spec& s) { s.policy = "static"; }},
        {"decision on its way", [](lane_spec& s) { s.sync_latency = {10}; }},
        {"cycle 0: lanes\n", [](lane_spec& s) { s.lanes_per_direction = 7; }},
    };
    for (const auto& e : all) {
        lane_spec rtl;
        rtl.sample_time = {1000};
        rtl.sync_latency = {9};
        lane_spec model = rtl;
        e.change(model);
        lane_lockstep both("link", rtl, model);
        both.start(0);
        try {
            for (int t = 0; t < 3000; ++t) {
                both.prepare({});
                both.begin();
                both.issue({8, 0});
            }
            FAIL() << e.what;
        } catch (const level_difference& d) { EXPECT_THAT(d.what(), HasSubstr(e.what)); }
    }
}

TEST(difference, a_lane_that_fails_in_one_of_them_only) {
    lane_lockstep both("link", lane_spec{});
    both.prepare({});
    both.begin();
    both.issue({0, 0});
    both.prepare({false, {}, 1});
    both.begin();
    try {
        both.issue({0, 0});
        FAIL() << "no difference was found";
    } catch (const level_difference& d) {
        EXPECT_THAT(d.what(), HasSubstr("cycle 1: lanes, failed lanes, interrupt\n"));
    }
}

// A link's lanes use RTL with a bug; the whole block that is compared, and the model, are right.
TEST(difference, of_what_the_link_has_names_both) {
    for (const auto make : {make_core_that_keeps_lanes, make_core_that_turns_the_wrong_way}) {
        lane_spec s;
        s.sample_time = {1000};
        lane_recording told;
        std::optional<level_difference> difference;
        watched_lane_set lanes("link0", s, 1, &told, &difference, make);
        link::replay(lanes, {{6000, {12, 0}, false}});
        ASSERT_TRUE(difference.has_value());
        EXPECT_EQ(difference->where(), "link0");
        EXPECT_THAT(difference->what(), HasSubstr("link0: at the window's end in cycle"));
        EXPECT_THAT(difference->what(), HasSubstr("RTL and model, played in every cycle, have lanes"));
    }
}

// A lane leaves in 1008 and should join in 1112; no window with traffic follows.
TEST(difference, behind_the_last_window_with_traffic_is_found_at_the_end) {
    for (const std::uint64_t end : {1111u, 1112u}) {
        lane_spec s;
        s.sample_time = {1000};
        std::optional<level_difference> difference;
        watched_lane_set lanes("link0", s, 1, nullptr, &difference, make_core_that_keeps_lanes);
        lanes.carried(link::direction::ab, {0, 1000, 8, 8000});
        EXPECT_EQ(lanes.close_window().decision, link::lane_decision::to_ab);
        lanes.advance(end);
        lanes.finish(end);
        ASSERT_EQ(difference.has_value(), end == 1112);
        if (!difference) continue;
        EXPECT_EQ(difference->cycle(), 1112u);
        EXPECT_THAT(difference->what(),
                    AllOf(HasSubstr("has lanes 9 + 7, 0 turning"), HasSubstr("the link has lanes 8 + 7, 1 turning")));
    }
}

TEST(difference, in_quiet_windows_is_found_when_the_link_is_brought_on) {
    lane_spec s;
    s.sample_time = {1000};
    std::optional<level_difference> difference;
    watched_lane_set lanes("link0", s, 1, nullptr, &difference, make_core_that_keeps_lanes);
    lanes.carried(link::direction::ab, {0, 1000, 8, 8000});
    lanes.close_window();
    lanes.advance(1112);
    EXPECT_FALSE(difference.has_value());
    lanes.advance(2500);
    ASSERT_TRUE(difference.has_value());
    EXPECT_EQ(difference->cycle(), 2499u);
}

TEST(difference, the_end_of_a_run_is_played_by_every_link) {
    controller_set set(controller_level::lockstep, false);
    lane_spec s;
    s.sample_time = {1000};
    const auto link = set.factory()("link0", s, 1);
    link->carried(link::direction::ba, {0, 1000, 8, 8000});
    link->close_window();
    set.finish(5000);
    EXPECT_FALSE(set.difference().has_value());
}

TEST(difference, ends_the_comparison_and_not_the_link) {
    controller_set set(controller_level::lockstep, true, make_core_that_keeps_lanes);
    link::testing::bench on(link::testing::wide({}), set.factory()("link0", {}, 1000));
    for (int i = 0; i < 40'000; ++i) on.a.queue(0, 128);
    on.sim.run();
    ASSERT_TRUE(set.difference().has_value());
    EXPECT_EQ(set.difference()->cycle(), 9'999u);
    EXPECT_EQ(on.broken(), "");
    EXPECT_GT(set.records().front()->told.bursts.ab.at(0).carried, 0u);
}

// The link follows its RTL: a wrong rule changes its lanes and the time at which the traffic has passed.
TEST(planted_bug, a_link_follows_rtl_that_is_wrong) {
    struct result {
        std::uint64_t end = 0;
        unsigned lanes = 0;
        std::uint64_t turns = 0;
    };
    const auto run = [](const lane_core_factory& core) {
        link::testing::bench on(link::testing::wide({}), std::make_unique<rtl_lane_set>(lane_spec{}, 1000, core));
        for (int i = 0; i < 40'000; ++i) on.a.queue(0, 128);
        on.sim.run();
        EXPECT_EQ(on.broken(), "");
        return result{on.sim.events().now().ps, on.link.lanes().lanes.ab, on.link.statistics().turns.value()};
    };
    const result right = run(make_lane_core), kept = run(make_core_that_keeps_lanes),
                 wrong = run(make_core_that_turns_the_wrong_way);
    EXPECT_EQ(right.lanes, 15u);
    EXPECT_EQ(kept.lanes, 8u);  // one has left B, and never joins A
    EXPECT_EQ(kept.turns, 1u);
    EXPECT_EQ(wrong.lanes, 1u);  // each turn takes a lane from the direction that lacks lanes
    EXPECT_GT(kept.end, right.end + right.end / 4);
    EXPECT_GT(wrong.end, 2 * kept.end);
}

}  // namespace difference_test
}  // namespace contraflow::cosim
