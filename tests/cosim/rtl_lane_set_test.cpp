// SPDX-License-Identifier: Apache-2.0
// The RTL as a link's lanes: its ports always show the same state as the model, and a link with it
// does what a link with the model does.
#include "cosim/rtl_lane_set.h"

#include <gtest/gtest.h>

#include "cosim/watched_lane_set.h"
#include "link/cases/lane_harness.h"
#include "link/lanes/lane_bank.h"
#include "link/lanes/policies.h"
#include "link/support.h"
#include "link/traffic.h"

namespace contraflow::cosim {
namespace rtl_lane_set_test {

using link::both_directions;
using link::direction;
using link::lane_spec;
using link::replay;
using link::testing::generator;
using link::testing::pick;

TEST(rtl_lane_set, worked_cases_match) {
    for (const auto& c : link::testing::rtl_cases()) {
        SCOPED_TRACE(c.name);
        rtl_lane_set lanes(c.spec, 1);
        EXPECT_EQ(first_difference(replay(lanes, c.trace), *c.expected), "");
    }
}

TEST(rtl_lane_set, random_traces_match_the_model) {
    generator g(5);
    for (int i = 0; i < 300; ++i) {
        SCOPED_TRACE(i);
        const lane_spec s = link::testing::random_rtl_spec(g);
        const auto trace = link::testing::random_trace(g, s);
        const auto expected = replay(*link::make_lane_bank(s), trace);
        rtl_lane_set lanes(s, 1);
        const auto got = replay(lanes, trace);
        EXPECT_EQ(first_difference(got, expected), "");
        for (const auto d : both_directions) EXPECT_NEAR(got.waited[d], expected.waited[d], 1e-6);
    }
}

// Both receive the same calls, in the order in which a link makes them: bursts, windows, launches, faults, resets at
// any time; and they advance cycle by cycle or in leaps to the next change.
TEST(rtl_lane_set, has_the_lanes_of_the_model_whatever_happens) {
    generator g(47);
    std::uint64_t turns = 0, faults = 0;
    for (int run = 0; run < 300; ++run) {
        const lane_spec s = link::testing::random_rtl_spec(g);
        link::lane_bank model(s, link::make_lane_policy(s));
        rtl_lane_set rtl(s, 1);
        const bool breaks = pick(g, 0, 2) == 0, leaps = pick(g, 0, 1) != 0, stops = pick(g, 0, 1) != 0;
        link::by_direction<std::uint64_t> load;
        bool busy = false;  // the window must be closed
        for (std::uint64_t t = 0; t < 1500;) {
            SCOPED_TRACE("run " + std::to_string(run) + " cycle " + std::to_string(t));
            if (busy && model.state().window_end == t) {
                ASSERT_EQ(model.close_window(), rtl.close_window());
                busy = false;
            }
            if (pick(g, 0, 199) == 0) {
                model.launch(t);
                rtl.launch(t);
                busy = false;
            }
            model.advance(t);
            rtl.advance(t);
            if (breaks && pick(g, 0, 99) == 0) {
                const auto d = both_directions[pick(g, 0, 1)];
                ASSERT_EQ(model.fail_lane(d, t), rtl.fail_lane(d, t));
                ++faults;
            }
            if (pick(g, 0, 499) == 0) {
                model.reset(t);
                rtl.reset(t);
                busy = false;
            }
            const auto &m = model.state(), &r = rtl.state();
            ASSERT_EQ(m.lanes, r.lanes);
            ASSERT_EQ(m.turning, r.turning);
            ASSERT_EQ(m.failed, r.failed);
            ASSERT_EQ(m.window_end, r.window_end);
            ASSERT_EQ(m.turns, r.turns);
            ASSERT_EQ(m.quiet_windows, r.quiet_windows);
            // A decision that finds no lane to spare when it holds changes no lanes; the model names that cycle all the
            // same.
            const bool lapses = model.pending() && m.lanes[opposite(*model.pending())] <= s.min_lanes;
            if (lapses) {
                ASSERT_GE(r.next_change, m.next_change);
            } else {
                ASSERT_EQ(m.next_change, r.next_change);
            }
            if (pick(g, 0, 49) == 0) load = {pick(g, 0, 20), pick(g, 0, 20)};
            if (stops && pick(g, 0, 99) == 0) load = {};
            std::uint64_t next = t + 1;
            if (leaps) next = std::max(next, std::min({m.next_change, m.window_end, t + pick(g, 1, 50)}));
            for (const auto d : both_directions) {
                const auto phits = std::min<std::uint64_t>(load[d], m.lanes[d]) * (next - t);
                if (phits == 0) continue;
                const link::lane_burst b{t, next, m.lanes[d], phits};
                model.carried(d, b);
                rtl.carried(d, b);
                busy = true;
            }
            t = next;
        }
        turns += rtl.state().turns;
    }
    EXPECT_GT(turns, 400u);
    EXPECT_GT(faults, 500u);
}

// An idle second, and turns under load: the core gets clock edges only when something happens.
TEST(rtl_lane_set, is_clocked_only_where_something_happens) {
    rtl_lane_set lanes(lane_spec{}, 1);
    const auto started = lanes.clocked();
    lanes.advance(4999);
    EXPECT_EQ(lanes.clocked(), started);
    replay(lanes, {{1'000'000, {12, 0}, false}});
    // 200 windows with nine edges each, and 7 turns of 104 cycles, each with the cycle after it, twice: on to the
    // turn's end, and again from the window that ends meanwhile.
    EXPECT_EQ(lanes.state().turns, 7u);
    EXPECT_LT(lanes.clocked(), 3300u + started);
}

// The decision's lane would leave in cycle 59. By then the giver has no lane to spare, and other lanes change in the
// same cycle: no lane turns for the decision.
TEST(rtl_lane_set, counts_no_turn_where_a_decision_is_dropped_and_a_lane_fails_instead) {
    lane_spec s;
    s.lanes_per_direction = 4;
    s.sample_time = {50};
    s.switch_time = {10};
    s.drain = {2};
    s.sync_latency = {9};
    rtl_lane_set rtl(s, 1);
    const auto bank = link::make_lane_bank(s);
    for (link::lane_set_if* const lanes : {static_cast<link::lane_set_if*>(&rtl), bank.get()}) {
        lanes->carried(link::direction::ab, {0, 50, 4, 200});
        EXPECT_EQ(lanes->close_window().decision, link::lane_decision::to_ab);
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(lanes->fail_lane(link::direction::ba, 52));
        EXPECT_TRUE(lanes->fail_lane(link::direction::ab, 59));
        lanes->advance(64);
        EXPECT_EQ(lanes->state().lanes, (link::by_direction<unsigned>{3, 1}));
        EXPECT_EQ(lanes->state().turns, 0u);
    }
}

// 5 of 8 phits a cycle: 62.5 % busy one way, nothing the other.
TEST(threshold, acts_at_every_level) {
    for (const unsigned percent : {62u, 63u}) {
        lane_spec s;
        s.sample_time = {1000};
        s.saturation = percent;
        const std::vector<link::trace_row> trace{{1000, {5, 0}, false}};
        rtl_lane_set rtl(s, 1);
        std::optional<level_difference> difference;
        watched_lane_set both("link", s, 1, nullptr, &difference);
        const auto bank = link::make_lane_bank(s);
        for (link::lane_set_if* const lanes :
             {static_cast<link::lane_set_if*>(&rtl), static_cast<link::lane_set_if*>(&both), bank.get()})
            EXPECT_EQ(replay(*lanes, trace).windows.at(0).lanes.decision,
                      percent == 62 ? link::lane_decision::to_ab : link::lane_decision::none);
        EXPECT_FALSE(difference.has_value()) << difference->what();
    }
}

// Runs behind a link with packets, whose transmissions begin and end anywhere between edges.
TEST(rtl_lane_set, a_link_with_it_does_what_a_link_with_the_model_does) {
    generator g(53);
    std::uint64_t turns = 0;
    for (int run = 0; run < 60; ++run) {
        SCOPED_TRACE(run);
        lane_spec s = link::testing::random_rtl_spec(g);
        s.sample_time = {pick(g, 50, 600)};
        const std::uint64_t seed = g();
        std::vector<link::lane_window> windows[3];
        std::uint64_t end[3]{};
        std::optional<level_difference> difference;
        for (int level = 0; level < 3; ++level) {
            std::unique_ptr<link::lane_set_if> lanes;
            if (level == 1) lanes = std::make_unique<rtl_lane_set>(s, 1000);
            if (level == 2) lanes = std::make_unique<watched_lane_set>("link", s, 1000, nullptr, &difference);
            link::testing::bench on(link::testing::wide(s), std::move(lanes));
            link::testing::window_log log;
            on.link.set_observer(&log);
            generator traffic(seed);
            for (int i = 0; i < 400; ++i) {
                const auto bytes = static_cast<std::uint32_t>(pick(traffic, 1, 300));
                (pick(traffic, 0, 4) > 0 ? on.a : on.b).queue(0, bytes);
                if (i % 40 != 0) continue;
                on.sim.run_until(on.sim.events().now() + core::sim_time{pick(traffic, 1, 900'000)});
                if (pick(traffic, 0, 3) == 0) on.link.kernel_launched();
                if (pick(traffic, 0, 5) == 0)
                    on.link.fail_lane(both_directions[static_cast<std::size_t>(pick(traffic, 0, 1))]);
            }
            on.sim.run();
            EXPECT_EQ(on.broken(), "");
            windows[level] = log.windows;
            end[level] = on.sim.events().now().ps;
            turns += on.link.statistics().turns.value();
        }
        EXPECT_EQ(windows[1], windows[0]);
        EXPECT_EQ(windows[2], windows[0]);
        EXPECT_EQ(end[1], end[0]);
        EXPECT_EQ(end[2], end[0]);
        ASSERT_FALSE(difference.has_value()) << difference->what();
    }
    EXPECT_GT(turns, 30u);
}

}  // namespace rtl_lane_set_test
}  // namespace contraflow::cosim
