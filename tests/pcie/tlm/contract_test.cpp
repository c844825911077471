// SPDX-License-Identifier: Apache-2.0
// The contract of every component with state, for whole trees in the middle of traffic: pause, drain, enable,
// reset; verbs without meaning are refused; statistics are described and change; two runs are alike.
#include <set>

#include <gtest/gtest.h>

#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;
using core::control_verb;
using pcie::testing::send;

namespace {

struct parameters {
    transfer_mode mode;
    forwarding switching;
    friend void PrintTo(const parameters& p, std::ostream* out) {
        *out << (p.mode == transfer_mode::push ? "push" : "pull")
             << (p.switching == forwarding::cut_through ? ", cut through" : ", store and forward");
    }
};

class contract : public ::testing::TestWithParam<parameters> {
protected:
    fabric_spec spec() const {
        fabric_spec s;
        s.transfers = GetParam().mode;
        s.switching = GetParam().switching;
        return s;
    }
    static std::vector<stream> traffic(const topology& t) {
        std::vector<stream> all;
        for (int from = 0; from < 8; ++from)
            for (const int step : {1, 3, 4})
                all.push_back(send(t, fmt::format("gpu{}", from), fmt::format("gpu{}", (from + step) % 8), 100'000));
        return all;
    }
    const topology tree_ = pcie::testing::t2();
};

bool all_idle(const fabric& f) {
    for (node_id id = 1; id < f.tree().size(); ++id)
        for (const bool up : {true, false})
            if (!f.sender({id, up}).idle()) return false;
    return f.packets().in_flight() == 0;
}

}  // namespace

TEST_P(contract, builds_from_its_defaults_and_finishes) {
    core::simulation sim;
    fabric f(sim, tree_, spec(), traffic(tree_));
    sim.run();
    EXPECT_EQ(f.streams_left(), 0u);
    EXPECT_TRUE(all_idle(f));
}

TEST_P(contract, paused_it_stands_still_and_goes_on_where_it_was) {
    core::simulation sim;
    fabric f(sim, tree_, spec(), traffic(tree_));
    sim.run_until(core::sim_time::from_us(10));
    ASSERT_TRUE(f.control(control_verb::pause));
    sim.run();
    const auto left = f.streams_left();
    EXPECT_GT(left, 0u);
    ASSERT_TRUE(f.control(control_verb::enable));
    sim.run();
    EXPECT_EQ(f.streams_left(), 0u);
    observe::conservation checks;
    f.check(checks);
    EXPECT_TRUE(checks.held());
}

TEST_P(contract, drained_it_leaves_nothing_under_way) {
    core::simulation sim;
    fabric f(sim, tree_, spec(), traffic(tree_));
    sim.run_until(core::sim_time::from_us(10));
    ASSERT_TRUE(f.control(control_verb::drain));
    sim.run();
    EXPECT_TRUE(all_idle(f));
    EXPECT_GT(f.streams_left(), 0u);
    for (const auto& s : f.streams()) EXPECT_TRUE(s.issued == 0 || s.done()) << s.name;
    ASSERT_TRUE(f.control(control_verb::enable));
    sim.run();
    EXPECT_EQ(f.streams_left(), 0u);
}

TEST_P(contract, reset_in_mid_traffic_leaks_no_packet_and_no_credit) {
    for (const std::uint64_t us : {1u, 5u, 10u, 17u}) {
        core::simulation sim;
        fabric f(sim, tree_, spec(), traffic(tree_));
        sim.run_until(core::sim_time::from_us(us));
        ASSERT_GT(f.packets().in_flight(), 0u);
        ASSERT_TRUE(f.control(control_verb::reset));
        EXPECT_TRUE(all_idle(f));
        sim.run();  // callbacks armed before must do nothing
        EXPECT_TRUE(all_idle(f));
    }
}

TEST_P(contract, verbs_without_meaning_are_refused) {
    core::simulation sim;
    fabric f(sim, tree_, spec(), traffic(tree_));
    EXPECT_FALSE(f.control(control_verb::invalidate));
    EXPECT_FALSE(f.control(control_verb::flush));
}

TEST_P(contract, every_statistic_is_described_and_the_common_ones_move) {
    core::simulation sim;
    fabric f(sim, tree_, spec(), traffic(tree_));
    sim.run();
    std::set<std::string> moving;
    for (const auto& row : f.statistics().rows(sim.events().now())) {
        EXPECT_FALSE(row.unit.empty()) << row.path;
        EXPECT_FALSE(row.text.empty()) << row.path;
        if (row.value != 0) moving.insert(row.path.substr(row.path.rfind('.') + 1));
    }
    for (const char* name : {"tlps", "payload", "tlp_wire", "dllps", "dllp_wire", "accepted_tlps", "efficiency",
                             "buffered", "latency", "delivered"})
        EXPECT_TRUE(moving.contains(name)) << name;
}

INSTANTIATE_TEST_SUITE_P(all, contract,
                         ::testing::Values(parameters{transfer_mode::push, forwarding::cut_through},
                                           parameters{transfer_mode::pull, forwarding::cut_through},
                                           parameters{transfer_mode::push, forwarding::store_and_forward},
                                           parameters{transfer_mode::pull, forwarding::store_and_forward}),
                         [](const auto& tested) {
                             const auto& p = tested.param;
                             return std::string(p.mode == transfer_mode::push ? "push" : "pull") +
                                    (p.switching == forwarding::cut_through ? "_cut_through" : "_store_and_forward");
                         });
