// SPDX-License-Identifier: Apache-2.0
#include "core/timer.h"

#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/simulation.h"

namespace {

using namespace contraflow::core;

struct alarm {
    explicit alarm(scheduler& e) : events(e), clock(e, *this), calls(e, *this) {}
    void ring() {
        rung.push_back(events.now().ps);
        if (again_in.ps != 0) clock.arm_after(std::exchange(again_in, {}));
    }
    void numbered(std::uint32_t n) { numbers.push_back(n); }
    void plain() { numbers.push_back(99); }
    scheduler& events;
    timer<&alarm::ring> clock;
    cancellable_calls<alarm> calls;
    std::vector<std::uint64_t> rung;
    std::vector<std::uint32_t> numbers;
    sim_time again_in{};
};

TEST(timer, rings_once_when_it_is_due_and_costs_one_callback) {
    simulation sim;
    alarm a(sim.events());
    EXPECT_FALSE(a.clock.armed());
    a.clock.arm(sim_time{70});
    EXPECT_TRUE(a.clock.armed());
    sim.run();
    EXPECT_FALSE(a.clock.armed());
    EXPECT_EQ(a.rung, std::vector<std::uint64_t>{70});
    EXPECT_EQ(sim.events().executed(), 1u);
}

TEST(timer, the_last_arming_counts_be_it_earlier_or_later) {
    for (const std::uint64_t second : {20, 50, 90}) {
        simulation sim;
        alarm a(sim.events());
        a.clock.arm(sim_time{50});
        a.clock.arm(sim_time{second});
        sim.run();
        EXPECT_EQ(a.rung, std::vector<std::uint64_t>{second});
        EXPECT_EQ(sim.events().executed(), 1u);
        EXPECT_EQ(sim.events().now(), sim_time{second});
    }
}

// The place of an entry far ahead is not known: it stays in the queue, and does nothing there.
TEST(timer, armed_far_ahead_and_again_for_an_earlier_time_it_rings_once) {
    simulation sim;
    alarm a(sim.events());
    a.clock.arm(sim_time::from_us(100));
    a.clock.arm(sim_time{50});
    sim.run();
    EXPECT_EQ(a.rung, std::vector<std::uint64_t>{50});
    a.clock.arm(sim.events().now() + sim_time{1});
    sim.run();
    EXPECT_EQ(a.rung.size(), 2u);
}

TEST(timer, no_later_than_a_time_leaves_an_earlier_arming) {
    simulation sim;
    alarm a(sim.events());
    a.clock.arm_by(sim_time{50});
    a.clock.arm_by(sim_time{90});
    a.clock.arm_by(sim_time{40});
    sim.run();
    EXPECT_EQ(a.rung, std::vector<std::uint64_t>{40});
}

TEST(timer, what_is_cancelled_does_not_ring_and_may_be_armed_anew_for_the_same_time) {
    simulation sim;
    alarm a(sim.events());
    a.clock.arm(sim_time{50});
    a.clock.cancel();
    EXPECT_FALSE(a.clock.armed());
    sim.run_until(sim_time{50});
    EXPECT_TRUE(a.rung.empty());
    a.clock.arm(sim_time{60});
    a.clock.cancel();
    a.clock.arm(sim_time{60});
    sim.run();
    EXPECT_EQ(a.rung, std::vector<std::uint64_t>{60});
}

TEST(timer, may_be_armed_from_its_own_callback) {
    simulation sim;
    alarm a(sim.events());
    a.again_in = sim_time{30};
    a.clock.arm(sim_time{10});
    sim.run();
    EXPECT_EQ(a.rung, (std::vector<std::uint64_t>{10, 40}));
}

// Compares with a list of the armed times at each moment.
TEST(timer, rings_exactly_as_armed_at_last_over_random_orders) {
    struct driver {
        driver(scheduler& e) : a(e) {}
        void step() {
            const std::uint64_t now = a.events.now().ps;
            if (expected_due == now && a.rung.size() == expected.size() + 1) {  // before this step
                expected.push_back(now);
                expected_due = ~0ull;
            }
            switch (draw() % 4) {
            case 0:
                a.clock.cancel();
                expected_due = ~0ull;
                break;
            case 1:
            case 2:
                expected_due = now + 1 + draw() % 9;
                a.clock.arm(sim_time{expected_due});
                break;
            default: break;
            }
            ASSERT_EQ(a.rung, expected);
            ASSERT_EQ(a.clock.armed(), expected_due != ~0ull);
            // Steps end before the alarm rings, or at the same time.
            if (--left > 0) a.events.at<&driver::step>(sim_time{std::min(now + draw() % 5, expected_due)}, this);
        }
        alarm a;
        std::mt19937_64 draw{7};
        std::uint64_t expected_due = ~0ull;
        std::vector<std::uint64_t> expected;
        int left = 20000;
    };
    simulation sim;
    driver d(sim.events());
    sim.events().at<&driver::step>(sim_time{}, &d);
    sim.run();
    EXPECT_GT(d.expected.size(), 1000u);
}

TEST(cancellable_calls, all_come_in_order_with_their_numbers) {
    simulation sim;
    alarm a(sim.events());
    a.calls.at<&alarm::numbered>(sim_time{5}, 3);
    a.calls.at<&alarm::numbered>(sim_time{5}, 0xffffffff);
    a.calls.after<&alarm::plain>(sim_time{4});
    const auto made = a.calls.make<&alarm::numbered>(7);
    made();
    sim.run();
    EXPECT_EQ(a.numbers, (std::vector<std::uint32_t>{7, 99, 3, 0xffffffff}));
    EXPECT_EQ(sim.events().executed(), 3u);
}

TEST(cancellable_calls, a_reset_takes_back_those_before_it_and_none_after_it) {
    simulation sim;
    alarm a(sim.events());
    a.calls.at<&alarm::numbered>(sim_time{5}, 1);
    const auto made = a.calls.make<&alarm::plain>();
    a.calls.cancel();
    a.calls.at<&alarm::numbered>(sim_time{5}, 2);
    made();
    sim.run();
    EXPECT_EQ(a.numbers, std::vector<std::uint32_t>{2});
}

}  // namespace
