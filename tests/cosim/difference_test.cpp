// SPDX-License-Identifier: Apache-2.0
// Levels that do not agree: found in the first cycle in which it shows, and said with both states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cosim/controller_set.h"
#include "cosim/lane_lockstep.h"
#include "cosim/lockstep_lane_controller.h"
#include "cosim/rtl_lane_controller.h"
#include "cosim/trace_player.h"
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
    try {
        replay(rtl, both, {{5000, {12, 0}, false}});
        FAIL() << "no difference was found";
    } catch (const level_difference& d) {
        // Decided in 999, gone from 1000 to 1053, or to 1054.
        EXPECT_EQ(d.cycle(), 1054u);
        EXPECT_EQ(d.where(), "link3");
        EXPECT_THAT(
            d.what(),
            AllOf(HasSubstr("link3: RTL and TLM differ in cycle 1054: lanes, turning lanes, available lane-cycles\n"),
                  HasSubstr("RTL: lanes 9 + 7, 0 turning"), HasSubstr("TLM: lanes 8 + 7, 1 turning")));
    }
}

TEST(difference, every_output_is_compared) {
    struct expectation {
        std::string what;
        void (*change)(lane_spec& model);
    };
    const std::vector<expectation> all{
        {"window's end", [](lane_spec& s) { s.sample_time = {999}; }},
        {"cycle 999: decision\n", [](lane_spec& s) { s.policy = "static"; }},
        {"decision on its way", [](lane_spec& s) { s.exchange = {2}; }},
        {"cycle 0: failed lanes", [](lane_spec& s) { s.lanes_per_direction = 7; }},
    };
    for (const auto& e : all) {
        lane_spec rtl;
        rtl.sample_time = {1000};
        rtl.exchange = {1};
        lane_spec model = rtl;
        e.change(model);
        lane_lockstep both("link", rtl, model);
        both.start(0, {model.lanes_per_direction, model.lanes_per_direction});
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

TEST(difference, of_rtl_and_link_names_both) {
    lane_spec s;
    s.sample_time = {100};
    rtl_lane_controller rtl("link0", s);
    rtl.started(0, {8, 8});
    EXPECT_EQ(rtl.window_ended({{800, 0}, {800, 800}, {8, 8}, false, 100}), link::lane_decision::to_ab);
    try {
        rtl.window_ended({{800, 0}, {800, 800}, {8, 8}, false, 200});
        FAIL() << "no difference was found";
    } catch (const level_difference& d) {
        EXPECT_EQ(d.cycle(), 199u);
        EXPECT_THAT(d.what(),
                    AllOf(HasSubstr("link0: at the window's end in cycle 199 the RTL has lanes 8 + 7, one turning"),
                          HasSubstr("the link has lanes 8 + 8, busy 800 and 0 of 800 and 800")));
    }
}

// The RTL's lane comes back a cycle earlier, when no window with traffic is left to be told of.
TEST(difference, behind_the_last_window_with_traffic_is_found_at_the_end) {
    lane_spec rtl, model;
    rtl.sample_time = model.sample_time = {1000};
    rtl.switch_time = {50};
    model.switch_time = {51};
    lockstep_lane_controller both("link0", rtl, model);
    both.started(0, {8, 8});
    EXPECT_EQ(both.window_ended({{8000, 0}, {8000, 8000}, {8, 8}, false, 1000}), link::lane_decision::to_ab);
    EXPECT_NO_THROW(both.finished(1054));
    try {
        both.finished(1055);
        FAIL() << "no difference was found";
    } catch (const level_difference& d) { EXPECT_EQ(d.cycle(), 1054u); }
}

TEST(difference, the_end_of_a_run_is_played_by_every_link) {
    controller_set set(controller_level::lockstep, false);
    lane_spec s;
    s.sample_time = {1000};
    const auto link = set.factory()("link0", s);
    link->started(0, {8, 8});
    link->window_ended({{0, 0}, {8000, 8000}, {8, 8}, false, 1000});
    set.finish(5000);
    EXPECT_FALSE(set.difference().has_value());
}

// With a turn that takes longer than the link's, behind a link with traffic.
TEST(difference, is_kept_and_nothing_is_decided_any_more) {
    for (const auto level : {controller_level::rtl, controller_level::lockstep}) {
        controller_set set(level, true);
        lane_spec slow, fast;
        fast.switch_time = {4990};  // over in the window's last cycles
        slow.switch_time = {4995};
        link::testing::bench on(link::testing::wide(fast), set.factory()("link0", slow));
        for (int i = 0; i < 40'000; ++i) on.a.queue(0, 128);
        on.sim.run();
        ASSERT_TRUE(set.difference().has_value());
        EXPECT_EQ(set.difference()->where(), "link0");
        EXPECT_EQ(set.difference()->cycle(), 9'999u);
        EXPECT_EQ(on.link.statistics().turns.value(), 1u);
        EXPECT_EQ(on.broken(), "");
        EXPECT_GT(set.records().front()->events.size(), 3u);
    }
}

}  // namespace difference_test
}  // namespace contraflow::cosim
