// SPDX-License-Identifier: Apache-2.0
// The contract of components with state: control verbs, statistics, determinism, no allocation under way; and waves.
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/link_waves.h"
#include "observe/waves/waves.h"
#include "support/allocation_count.h"
#include "traffic.h"

namespace contraflow::link {
namespace {

using core::control_verb;
using core::sim_time;
using testing::bench;
using ::testing::HasSubstr;

void load(bench& on, int packets = 4000) {
    for (int i = 0; i < packets; ++i) {
        on.a.queue(static_cast<unsigned>(i % 2), 128);
        if (i % 5 == 0) on.b.queue(static_cast<unsigned>(i % 2), 32);
    }
}

std::uint64_t all_sent(const bench& on) { return on.a.sent(0) + on.a.sent(1) + on.b.sent(0) + on.b.sent(1); }
std::uint64_t all_received(const bench& on) { return on.a.received() + on.b.received(); }

TEST(contract, paused_it_finishes_what_is_on_the_lanes_and_goes_on_where_it_was) {
    bench on({});
    load(on);
    on.sim.run_until(sim_time::from_us(3));
    ASSERT_TRUE(on.link.control(control_verb::pause));
    on.sim.run();
    EXPECT_LT(all_received(on), all_sent(on));
    EXPECT_GT(on.link.outstanding(), 0u);
    EXPECT_EQ(on.broken(), "");
    ASSERT_TRUE(on.link.control(control_verb::enable));
    on.sim.run();
    EXPECT_EQ(all_received(on), all_sent(on));
    EXPECT_EQ(on.broken(), "");
}

TEST(contract, drained_it_holds_nothing_and_takes_nothing) {
    bench on({});
    load(on);
    on.sim.run_until(sim_time::from_us(3));
    ASSERT_TRUE(on.link.control(control_verb::drain));
    on.sim.run();
    EXPECT_EQ(on.link.outstanding(), 0u);
    EXPECT_GT(on.a.backlog(), 0u);
    EXPECT_FALSE(on.link.port(side::a).can_send(0));
    ASSERT_TRUE(on.link.control(control_verb::enable));
    on.sim.run();
    EXPECT_EQ(all_received(on), all_sent(on));
}

TEST(contract, reset_in_mid_traffic_leaks_no_packet_and_no_credit) {
    for (std::uint64_t ns = 1; ns < 8000; ns = ns * 3 + 1) {
        bench on({});
        on.b.hold_back(ns % 2 == 0);
        load(on);
        on.sim.run_until(sim_time::from_ns(ns));
        const std::uint64_t held = on.link.outstanding();
        ASSERT_GT(held, 0u);
        on.a.clear_backlog();
        on.b.clear_backlog();
        ASSERT_TRUE(on.link.control(control_verb::reset));
        EXPECT_EQ(on.link.outstanding(), 0u);
        EXPECT_EQ(on.a.dropped() + on.b.dropped(), held);
        EXPECT_EQ(on.broken(), "");
        EXPECT_EQ(on.link.lanes().lanes.ab, 8u);
        const auto received = all_received(on);
        on.sim.run();  // callbacks armed before must do nothing
        EXPECT_EQ(all_received(on), received);
        EXPECT_EQ(on.broken(), "");
    }
}

TEST(contract, after_a_reset_it_works_as_at_the_start) {
    const auto time_of = [](bool reset_first) {
        bench on({});
        if (reset_first) {
            load(on);
            on.sim.run_until(sim_time::from_us(12));
            on.a.clear_backlog();
            on.b.clear_backlog();
            on.link.control(control_verb::reset);
            on.sim.run();
        }
        const sim_time begin = on.sim.events().now();
        const auto before = on.b.received_bytes();
        for (int i = 0; i < 3000; ++i) on.link.port(side::a).can_send(0);
        contraflow::testing::token carried(1);
        packet p;
        p.payload = &carried;
        p.bytes = 128;
        on.link.port(side::a).send(p);
        on.sim.run();
        EXPECT_EQ(on.b.received_bytes() - before, 128u);
        return (on.b.last().arrived - begin).ps;
    };
    EXPECT_EQ(time_of(true), time_of(false));
}

TEST(contract, verbs_without_meaning_are_refused) {
    bench on({});
    EXPECT_FALSE(on.link.control(control_verb::invalidate));
    EXPECT_FALSE(on.link.control(control_verb::flush));
}

TEST(contract, every_statistic_is_described_and_moves) {
    bench on({});
    load(on, 20'000);
    for (int i = 0; i < 20'000; ++i) on.b.queue(0, 128);
    on.sim.run_until(sim_time::from_us(3));
    on.link.kernel_launched();
    on.b.hold_back(true);
    on.sim.run_until(sim_time::from_us(20));
    on.b.hold_back(false);
    on.sim.run_until(sim_time::from_us(22));
    on.link.fail_lane(direction::ab);
    on.sim.run();
    on.link.settle();
    std::set<std::string> still;
    for (const auto& row : on.statistics.rows(on.sim.events().now())) {
        EXPECT_FALSE(row.unit.empty()) << row.path;
        EXPECT_FALSE(row.text.empty()) << row.path;
        if (row.value == 0 && row.metric != "last" && row.metric != "p50") still.insert(row.path);
    }
    // These may stay 0: only a faulty controller is refused, and lanes failed on one side only.
    EXPECT_THAT(still, ::testing::IsSubsetOf({"link.refused", "link.ba.resent", "link.ba.credit_stall"}));
}

TEST(contract, the_same_run_twice_leaves_the_same_statistics) {
    std::string before;
    for (int run = 0; run < 2; ++run) {
        bench on({});
        load(on);
        on.sim.run();
        on.link.settle();
        std::ostringstream csv;
        on.statistics.write_csv(csv, on.sim.events().now());
        EXPECT_TRUE(run == 0 || csv.str() == before);
        before = csv.str();
    }
}

TEST(contract, nothing_is_allocated_under_way) {
    bench on({});
    load(on, 30'000);
    on.sim.run_until(sim_time::from_us(10));
    const auto received = on.b.received();
    const auto before = contraflow::test::allocations();
    on.sim.run_until(sim_time::from_us(30));
    EXPECT_GT(on.b.received(), received + 5000);
    EXPECT_GT(on.link.statistics().turns.value(), 3u);
    EXPECT_EQ(contraflow::test::allocations(), before);
    on.sim.run();
}

TEST(contract, waves_show_lanes_queues_and_credits) {
    std::ostringstream vcd;
    observe::waves waves(vcd);
    bench on({});
    link_waves shown(on.link, waves);
    shown.start({});
    load(on);
    on.sim.run();
    waves.close(on.sim.events().now());
    const std::string text = vcd.str();
    for (const char* name : {"lanes", "turning", "failed", "queue", "credits"}) EXPECT_THAT(text, HasSubstr(name));
    EXPECT_THAT(text, HasSubstr("b1001 "));  // a ninth lane
    EXPECT_THAT(text, HasSubstr("#5008000\n"));
}

}  // namespace
}  // namespace contraflow::link
