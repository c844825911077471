// SPDX-License-Identifier: Apache-2.0
// Corrupted packets, lost acknowledgements, lost updates, lost lanes: all packets still arrive once, in order.
#include <gtest/gtest.h>

#include "pcie/fabric/fault_check.h"
#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;
using pcie::testing::outcome;
using pcie::testing::run;
using pcie::testing::send;
using pcie::testing::t2;

namespace {

constexpr std::uint64_t kib = 1u << 10;

outcome with(const fault_plan& plan, std::uint64_t size = 256 * kib) {
    const topology t = t2();
    fabric_spec s;
    s.faults = plan;
    // Where credits bind, the prompt naks bring updates early, and errors can even save time.
    s.posted_data = {1u << 16};
    s.posted_headers = 1024;
    return run(t, s, {send(t, "gpu0", "gpu4", size), send(t, "gpu4", "gpu0", size)});
}

}  // namespace

TEST(faults, a_corrupted_tlp_is_sent_again) {
    fault_plan plan;
    plan.corrupt = {{"k80_0.up", packet_type::tlp, 5}};
    const outcome o = with(plan);
    EXPECT_TRUE(o.conserved) << o.broken;
    EXPECT_EQ(o.total("corrupted_tlps"), 1u);
    EXPECT_EQ(o.total(".naks"), 1u);
    EXPECT_GE(o.total("replayed_tlps"), 1u);
    EXPECT_EQ(o.total("replay_timeouts"), 0u);
    EXPECT_EQ(o.total("discarded_tlps") + 1, o.total("replayed_tlps"));
}

TEST(faults, a_replay_may_be_corrupted_too) {
    fault_plan plan;
    // The first packet, the ones sent until its nak came, and its replay.
    for (std::uint64_t i = 0; i < 40; ++i) plan.corrupt.push_back({"gpu0.up", packet_type::tlp, i});
    const outcome o = with(plan, 16 * kib);
    EXPECT_TRUE(o.conserved) << o.broken;
    EXPECT_EQ(o.total("corrupted_tlps"), 40u);
    EXPECT_GE(o.total("replay_timeouts"), 1u);  // one nak only until the expected packet comes
}

// Unacknowledged packets may have taken longer to send than the timer runs, which began with the
// acknowledgement of a TLP sent well before. All of it is sent again before the timer counts.
TEST(faults, a_replay_may_take_longer_than_the_replay_timer) {
    fault_plan plan;
    for (std::uint64_t i = 10; i < 210; ++i) plan.corrupt.push_back({"gpu1.up", packet_type::dllp, i});
    const topology t = t2();
    fabric_spec s;
    s.posted_data = {1u << 16};
    s.posted_headers = 1024;
    s.faults = plan;
    const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 256 * kib)});
    EXPECT_TRUE(o.conserved) << o.broken;
    EXPECT_EQ(o.total("corrupted_dllps"), 200u);
    EXPECT_GE(o.total("replay_timeouts"), 2u);
}

TEST(faults, the_highest_rate_of_bit_errors_costs_time_but_no_data) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        fault_plan plan;
        plan.bit_error_rate = 1e-4;
        plan.seed = seed;
        const outcome o = with(plan, 512 * kib);
        EXPECT_TRUE(o.conserved) << o.broken;
        // TLPs of 128 bytes each take at least 1216 bits on the wire.
        EXPECT_GT(o.total("corrupted_tlps"), 2 * 6 * 4096 / 10u);
    }
}

TEST(faults, lost_acknowledgements_and_updates_are_made_good) {
    fault_plan plan;
    for (std::uint64_t i = 0; i < 200; ++i) plan.corrupt.push_back({"gpu1.up", packet_type::dllp, i});
    const topology t = t2();
    fabric_spec s;
    s.faults = plan;
    const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 256 * kib)});
    EXPECT_TRUE(o.conserved) << o.broken;
    EXPECT_GE(o.total("replay_timeouts"), 1u);
    EXPECT_GE(o.total("discarded_tlps"), 1u);  // arrived, but its acknowledgement did not
    EXPECT_EQ(o.total("corrupted_dllps"), 200u);
}

TEST(faults, bit_errors_cost_time_but_no_data) {
    const outcome clean = with({});
    fault_plan plan;
    plan.bit_error_rate = 2e-6;
    const outcome dirty = with(plan);
    EXPECT_TRUE(dirty.conserved) << dirty.broken;
    EXPECT_GT(dirty.total("corrupted_tlps"), 20u);
    EXPECT_GT(dirty.ms(0), clean.ms(0));
    EXPECT_EQ(clean.total("replayed_tlps"), 0u);
}

TEST(faults, of_links_that_are_not_there_are_refused) {
    fault_plan plan;
    plan.downgrades = {{"gpu0", core::sim_time::from_us(2), link_rate{2, 8}, {}},
                       {"gpu0", core::sim_time::from_us(1), link_rate{2, 16}, {}},
                       {"rc", {}, link_rate{3, 8}, {}}};
    plan.corrupt = {
        {"plx_0.up", packet_type::tlp, 0}, {"plx_1", packet_type::tlp, 0}, {"gpu8.up", packet_type::tlp, 0}};
    std::vector<std::string> found;
    for (const auto& p : problems_of(plan, t2())) found.push_back(p.suspects.front().path + ": " + p.message);
    EXPECT_EQ(found,
              (std::vector<std::string>{
                  "corrupt[1].port: no port 'plx_1'", "corrupt[2].port: no port 'gpu8.up' (did you mean 'gpu0.up'?)",
                  "downgrades[1].at: 'gpu0' retrains at 2us already",
                  "downgrades[1].to: 'gen2 x16' is more than the link above 'gpu0' has by then (gen2 x8)",
                  "downgrades[2].node: no PCIe link above 'rc'"}));
    EXPECT_THROW(with(plan), std::invalid_argument);
}

TEST(faults, another_seed_hits_other_packets) {
    fault_plan plan;
    plan.bit_error_rate = 2e-6;
    const outcome a = with(plan);
    plan.seed = 2;
    const outcome b = with(plan);
    EXPECT_TRUE(a.conserved && b.conserved);
    EXPECT_NE(a.streams[0].finished, b.streams[0].finished);
}

TEST(faults, a_link_that_loses_half_its_lanes_goes_on_at_half_the_rate) {
    const topology t = t2();
    fabric_spec s;
    s.posted_data = {1u << 16};
    s.posted_headers = 1024;
    const double clean = run(t, s, {send(t, "gpu0", "gpu1", 4096 * kib)}).ms(0);
    s.faults.downgrades = {{"gpu0", core::sim_time{}, link_rate{3, 8}, core::sim_time::from_us(10)}};
    const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 4096 * kib)});
    EXPECT_TRUE(o.conserved) << o.broken;
    EXPECT_NEAR(o.ms(0), 2 * clean + 0.010, 0.005);
    s.faults.downgrades[0].at = core::sim_time::from_us(150);
    const outcome late = run(t, s, {send(t, "gpu0", "gpu1", 4096 * kib)});
    EXPECT_TRUE(late.conserved) << late.broken;
    EXPECT_NEAR(late.ms(0), 0.150 + 0.010 + 2 * (clean - 0.150), 0.005);
}

TEST(faults, a_link_that_becomes_slow_has_the_timers_of_a_slow_link) {
    const topology t = t2();
    fabric_spec s;
    s.faults.downgrades = {{"gpu0", core::sim_time::from_us(20), link_rate{1, 1}, core::sim_time::from_us(10)}};
    const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 512 * kib)});
    EXPECT_TRUE(o.conserved) << o.broken;
    EXPECT_EQ(o.total("replayed_tlps"), 0u);
    // The rest after 20 us takes 152 bytes per packet of 128, at 250 MB/s.
    const double before = link_rate{}.raw().bytes_per_s * 128 / 152;
    const double left = (512.0 * 1024 - before * 20e-6) * 152 / 128 / 250e6 * 1e3;
    EXPECT_NEAR(o.ms(0), 0.030 + left, 0.01);
}

TEST(faults, long_links_replay_nothing) {
    const topology t = t2();
    fabric_spec s;
    s.propagation = core::sim_time::from_us(1);
    const outcome o = run(t, s, {send(t, "gpu0", "gpu4", 256 * kib), send(t, "gpu4", "gpu0", 256 * kib)});
    EXPECT_TRUE(o.conserved) << o.broken;
    EXPECT_EQ(o.total("replayed_tlps"), 0u);
    EXPECT_EQ(o.total("discarded_tlps"), 0u);
}

TEST(faults, acknowledgements_wait_for_a_link_that_is_down) {
    topology t;
    const node_id rc = pcie::testing::add_switch(t, no_node, "rc", node_kind::root_complex);
    const node_id sw = pcie::testing::add_switch(t, rc, "sw");
    pcie::testing::add_endpoint(t, sw, "a", {3, 16});
    pcie::testing::add_endpoint(t, sw, "b", {3, 1});
    fabric_spec s;
    s.posted_data = {1u << 16};
    s.posted_headers = 1024;
    s.faults.downgrades = {{"a", core::sim_time::from_us(5), link_rate{3, 8}, core::sim_time::from_us(50)}};
    const outcome o = run(t, s, {send(t, "a", "b", 256 * kib), send(t, "b", "a", 256 * kib)});
    EXPECT_TRUE(o.conserved) << o.broken;
}
