// SPDX-License-Identifier: Apache-2.0
// The invariants of a link's lanes: none is lost, none serves while it turns, none turns too early.
#include "link/lanes/lane_bank.h"

#include <array>

#include <gtest/gtest.h>

#include "link/lanes/policies.h"
#include "support.h"

namespace contraflow::link {
namespace {

using testing::generator;
using testing::pick;

// Decides at random, including forbidden decisions.
class rogue : public lane_policy_if {
public:
    explicit rogue(std::uint64_t seed) : random_(seed) {}
    lane_decision window_ended(const window_sample&) override {
        constexpr std::array all{lane_decision::none, lane_decision::to_ab, lane_decision::to_ba};
        return all[random_() % 3];
    }
    void quiet_windows(std::uint64_t) override {}
    void kernel_launched(std::uint64_t) override {}

private:
    generator random_;
};

// Decides as told, once.
class puppet : public lane_policy_if {
public:
    lane_decision next = lane_decision::none;
    std::uint64_t quiet = 0;
    unsigned launches = 0;
    window_sample seen;
    lane_decision window_ended(const window_sample& s) override {
        seen = s;
        return std::exchange(next, lane_decision::none);
    }
    void quiet_windows(std::uint64_t n) override { quiet += n; }
    void kernel_launched(std::uint64_t) override { ++launches; }
};

lane_spec small() {
    lane_spec s;
    s.sample_time = {50};
    s.switch_time = {20};
    s.drain = {4};
    s.sync_latency = {0};
    return s;
}

TEST(lane_bank, keeps_every_lane_and_the_least_of_each_direction_whatever_the_controller_says) {
    generator g(3);
    std::uint64_t refused = 0, turns = 0;
    for (int run = 0; run < 200; ++run) {
        const lane_spec s = testing::random_spec(g);
        rogue controller(g());
        lane_bank bank(s, controller);
        for (std::uint64_t t = 0; t < 2000; ++t) {
            if (pick(g, 0, 299) == 0) bank.launch(t);
            bank.advance(t);
            ASSERT_EQ(bank.state().lanes.ab + bank.state().lanes.ba + bank.state().turning, 2 * s.lanes_per_direction);
            ASSERT_GE(bank.state().lanes.ab, s.min_lanes);
            ASSERT_GE(bank.state().lanes.ba, s.min_lanes);
            if (t + 1 == bank.state().window_end) bank.close_window();
        }
        refused += bank.state().refused;
        turns += bank.state().turns;
    }
    EXPECT_GT(refused, 1000u);
    EXPECT_GT(turns, 1000u);
}

TEST(lane_bank, a_lane_turns_for_drain_and_turnaround_exactly) {
    for (const std::uint64_t sync_latency : {0u, 7u}) {
        lane_spec s = small();
        s.sync_latency = {sync_latency};
        puppet controller;
        lane_bank bank(s, controller);
        controller.next = lane_decision::to_ab;
        const lane_window w = bank.close_window();
        EXPECT_EQ(w.end, 50u);
        EXPECT_EQ(w.decision, lane_decision::to_ab);
        const std::uint64_t leaves = 50 + sync_latency;
        EXPECT_EQ(bank.state().next_change, leaves);
        if (sync_latency > 0) {
            bank.advance(leaves - 1);
            EXPECT_EQ(bank.state().lanes.ba, 8u);
        }
        bank.advance(leaves);
        EXPECT_EQ(bank.state().lanes.ba, 7u);
        EXPECT_EQ(bank.state().turning, 1u);
        EXPECT_EQ(bank.state().next_change, leaves + 24);
        bank.advance(leaves + 23);
        EXPECT_EQ(bank.state().lanes.ab, 8u);
        bank.advance(leaves + 24);
        EXPECT_EQ(bank.state().lanes.ab, 9u);
        EXPECT_EQ(bank.state().turning, 0u);
        EXPECT_EQ(bank.state().next_change, lane_state::never);
    }
}

TEST(lane_bank, capacity_is_what_the_serving_lanes_had) {
    puppet controller;
    lane_bank bank(small(), controller);
    controller.next = lane_decision::to_ab;
    bank.close_window();
    const lane_window w = bank.close_window();  // joins at 74, the window is [50, 100)
    EXPECT_EQ(w.capacity.ba, 7u * 50);
    EXPECT_EQ(w.capacity.ab, 8u * 24 + 9u * 26);
    EXPECT_EQ(w.lanes.ab, 9u);
    EXPECT_FALSE(controller.seen.turning);
}

TEST(lane_bank, says_that_a_lane_is_turning_or_about_to) {
    lane_spec s = small();
    s.sync_latency = {60};
    s.switch_time = {60};
    puppet controller;
    lane_bank bank(s, controller);
    controller.next = lane_decision::to_ab;
    bank.close_window();
    controller.next = lane_decision::to_ab;
    EXPECT_EQ(bank.close_window().decision, lane_decision::none);  // pending until 110
    EXPECT_TRUE(controller.seen.turning);
    controller.next = lane_decision::to_ba;
    EXPECT_EQ(bank.close_window().decision, lane_decision::none);  // turning from 110 to 174
    EXPECT_EQ(bank.state().refused, 2u);
    EXPECT_EQ(bank.state().turns, 1u);
}

TEST(lane_bank, quiet_windows_are_skipped_and_leave_the_same_state) {
    for (const lane_policy& policy : lane_policies()) {
        lane_spec s = small();
        s.policy = policy.name;
        const auto closed_controller = policy.make(s);
        const auto skipped_controller = policy.make(s);
        lane_bank closed(s, *closed_controller), skipped(s, *skipped_controller);
        for (lane_bank* bank : {&closed, &skipped}) {
            bank->carried(direction::ab, {0, 0, 1, 400});
            bank->close_window();
        }
        for (std::uint64_t t = 50; t < 1010; ++t) {
            closed.advance(t);
            if (t + 1 == closed.state().window_end) closed.close_window();
        }
        skipped.advance(1009);
        EXPECT_EQ(skipped.state().window_end, closed.state().window_end) << policy.name;
        for (lane_bank* bank : {&closed, &skipped}) {
            bank->carried(direction::ba, {0, 0, 1, 200});
            EXPECT_EQ(bank->state().window_end, 1050u);
        }
        lane_window a = closed.close_window(), b = skipped.close_window();
        EXPECT_EQ(a.lanes, b.lanes) << policy.name;
        EXPECT_EQ(a.decision, b.decision) << policy.name;
        EXPECT_EQ(a.capacity, b.capacity) << policy.name;
        EXPECT_EQ(skipped.state().quiet_windows, 19u);
    }
}

TEST(lane_bank, a_busy_window_cannot_be_passed_over) {
    puppet controller;
    lane_bank bank(small(), controller);
    bank.carried(direction::ab, {0, 0, 1, 1});
    EXPECT_THROW(bank.advance(50), std::logic_error);
}

TEST(lane_bank, a_launch_drops_a_decision_and_tells_the_controller) {
    puppet controller;
    lane_bank bank(small(), controller);
    EXPECT_EQ(controller.launches, 1u);  // the start is one
    controller.next = lane_decision::to_ab;
    bank.close_window();
    bank.launch(50);
    EXPECT_EQ(bank.state().next_change, lane_state::never);
    EXPECT_EQ(bank.state().turns, 0u);
    EXPECT_EQ(controller.launches, 2u);
}

TEST(lane_bank, failed_lanes_stay_away_and_the_rest_is_shared) {
    puppet controller;
    lane_bank bank(small(), controller);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(bank.fail_lane(direction::ab, 10));
    EXPECT_EQ(bank.state().lanes.ab, 5u);
    EXPECT_EQ(bank.state().failed, 3u);
    EXPECT_EQ(bank.state().next_change, lane_state::never);
    bank.launch(20);  // 13 lanes: 6 + 7
    EXPECT_EQ(bank.state().turning, 1u);
    bank.advance(44);
    EXPECT_EQ(bank.state().lanes.ab, 6u);
    EXPECT_EQ(bank.state().lanes.ba, 7u);
    bank.launch(45);  // an odd lane stays in its direction
    EXPECT_EQ(bank.state().turning, 0u);
}

TEST(lane_bank, a_direction_without_lanes_gets_one) {
    lane_spec s = small();
    s.lanes_per_direction = 2;
    puppet controller;
    lane_bank bank(s, controller);
    ASSERT_TRUE(bank.fail_lane(direction::ab, 5));
    ASSERT_TRUE(bank.fail_lane(direction::ab, 6));
    EXPECT_EQ(bank.state().lanes.ab, 0u);
    EXPECT_EQ(bank.state().lanes.ba, 2u);
    bank.advance(7);  // the cycle after
    EXPECT_EQ(bank.state().turning, 1u);
    bank.advance(30);
    EXPECT_EQ(bank.state().lanes.ab, 0u);
    bank.advance(31);
    EXPECT_EQ(bank.state().lanes.ab, 1u);
    EXPECT_EQ(bank.state().lanes.ba, 1u);
    ASSERT_TRUE(bank.fail_lane(direction::ba, 31));  // no lane to spare: the direction is dead
    EXPECT_EQ(bank.state().lanes.ba, 0u);
    EXPECT_EQ(bank.state().next_change, lane_state::never);
    EXPECT_FALSE(bank.fail_lane(direction::ba, 32));
}

TEST(lane_bank, a_direction_with_too_few_lanes_comes_before_a_decision) {
    lane_spec s = small();
    s.lanes_per_direction = 4;
    s.min_lanes = 3;
    s.sync_latency = core::cycles{5};
    puppet controller;
    lane_bank bank(s, controller);
    controller.next = lane_decision::to_ba;
    EXPECT_EQ(bank.close_window().decision, lane_decision::to_ba);  // a lane of A->B would leave in 55
    ASSERT_TRUE(bank.fail_lane(direction::ba, 51));
    ASSERT_TRUE(bank.fail_lane(direction::ba, 52));
    bank.advance(53);
    EXPECT_EQ(bank.state().turning, 1u);
    EXPECT_EQ(bank.state().lanes.ab, 3u);
    bank.advance(76);
    EXPECT_EQ(bank.state().lanes.ba, 2u);
    bank.advance(77);
    EXPECT_EQ(bank.state().lanes.ba, 3u);
    EXPECT_EQ(bank.state().next_change, lane_state::never);
    EXPECT_EQ(bank.state().turns, 0u);
}

TEST(lane_bank, nothing_is_decided_while_a_direction_has_too_few_lanes) {
    lane_spec s = small();
    s.lanes_per_direction = 4;
    s.min_lanes = 3;
    puppet controller;
    lane_bank bank(s, controller);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(bank.fail_lane(direction::ba, 49));
    controller.next = lane_decision::to_ba;
    EXPECT_EQ(bank.close_window().decision, lane_decision::none);
    EXPECT_TRUE(controller.seen.turning);
    EXPECT_EQ(bank.state().next_change, 50u);
}

TEST(lane_bank, a_lane_that_fails_while_it_turns_does_not_join) {
    lane_spec s = small();
    s.lanes_per_direction = 1;
    puppet controller;
    lane_bank bank(s, controller);
    ASSERT_TRUE(bank.fail_lane(direction::ab, 0));
    EXPECT_EQ(bank.state().lanes.ba, 1u);
    s.lanes_per_direction = 2;
    lane_bank wider(s, controller);
    controller.next = lane_decision::to_ab;
    wider.close_window();
    wider.advance(50);
    ASSERT_EQ(wider.state().turning, 1u);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(wider.fail_lane(direction::ab, 51));
    EXPECT_EQ(wider.state().failed, 3u);
    wider.advance(99);
    EXPECT_EQ(wider.state().lanes.ab + wider.state().lanes.ba + wider.state().turning, 1u);
}

TEST(lane_bank, a_lane_that_fails_has_served_until_then) {
    puppet controller;
    lane_bank bank(small(), controller);
    ASSERT_TRUE(bank.fail_lane(direction::ab, 10));
    const lane_window w = bank.close_window();
    EXPECT_EQ(w.capacity.ab, 8u * 10 + 7u * 40);
    EXPECT_EQ(w.capacity.ba, 8u * 50);
}

TEST(lane_bank, reset_is_the_start_with_what_still_works) {
    puppet controller;
    lane_bank bank(small(), controller);
    controller.next = lane_decision::to_ab;
    bank.close_window();
    bank.advance(60);
    ASSERT_TRUE(bank.fail_lane(direction::ab, 60));
    bank.reset(61);
    EXPECT_EQ(bank.state().lanes.ab, 8u);
    EXPECT_EQ(bank.state().lanes.ba, 7u);
    EXPECT_EQ(bank.state().turning, 0u);
    EXPECT_EQ(bank.state().window_end, 111u);
    EXPECT_EQ(bank.state().next_change, lane_state::never);
}

}  // namespace
}  // namespace contraflow::link
