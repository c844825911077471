// SPDX-License-Identifier: Apache-2.0
// A torus under offered load: throughput, where it can be computed, and the offered load of the
// generator.
#include "net/traffic/offered_load.h"

#include <gtest/gtest.h>

#include "core/simulation.h"
#include "net/torus/torus_network.h"

namespace {

using namespace contraflow;
using net::traffic_pattern;

struct loaded {
    net::torus_spec torus;
    net::offered_load::spec source;
};

loaded of(std::vector<std::uint32_t> nodes, traffic_pattern pattern, double load) {
    loaded l;
    l.torus.nodes = std::move(nodes);
    l.torus.router = 4;
    l.torus.wire = 2;
    l.torus.buffer = 64;
    l.torus.virtual_channels = 2;
    l.source.traffic.pattern = pattern;
    l.source.traffic.packet_words = 16;
    l.source.traffic.warm_up = 6000;
    l.source.traffic.measure = 8000;
    l.source.load = load;
    return l;
}

struct result {
    double offered, accepted, mean_cycles, busiest;
    bool saturated;
};

result run(loaded l) {
    core::simulation sim;
    observe::statistics statistics;
    net::torus_network net("", sim.events(), statistics, l.torus);
    l.source.cycle = l.torus.word_time();
    std::uint64_t most = 0;
    std::vector<std::uint64_t> before;
    net::offered_load load(sim.events(), statistics, net, l.torus.nodes, l.source, [&](bool begins) {
        const auto links = net.links();
        for (std::size_t i = 0; i < links.size(); ++i) {
            const std::uint64_t words = links[i]->statistics().words.value();
            if (begins)
                before.push_back(words);
            else
                most = std::max(most, words - before[i]);
        }
    });
    load.start();
    sim.run();
    EXPECT_EQ(load.wrong(), "");
    EXPECT_EQ(load.created(), load.injected() + load.kept());
    EXPECT_EQ(load.injected(), load.taken());
    EXPECT_EQ(net.outstanding(), 0u);
    observe::conservation all;
    net.check(all);
    for (const auto& c : all.checks()) EXPECT_TRUE(c.held()) << c.name;
    return {load.offered(), load.accepted(), load.latency().mean() / static_cast<double>(l.source.cycle.ps),
            static_cast<double>(most) / static_cast<double>(l.source.traffic.measure), load.saturated()};
}

TEST(offered_load, below_saturation_all_that_is_offered_is_accepted) {
    for (const double load : {0.05, 0.2, 0.4}) {
        const result r = run(of({4, 4}, traffic_pattern::uniform, load));
        EXPECT_NEAR(r.offered, load, 0.06 * load);
        EXPECT_NEAR(r.accepted, r.offered, 0.05 * load);
        EXPECT_FALSE(r.saturated);
    }
}

TEST(offered_load, at_little_load_latency_is_that_of_an_empty_network) {
    // Mean distance on a ring of 8 to another node: (1+2+3+4+3+2+1)/7.
    const result r = run(of({8}, traffic_pattern::uniform, 0.01));
    EXPECT_NEAR(r.mean_cycles, 16.0 / 7 * (4 + 2) + 16, 2);
}

TEST(offered_load, latency_grows_with_load) {
    double before = 0;
    for (const double load : {0.1, 0.4, 0.6}) {
        const result r = run(of({4, 4}, traffic_pattern::uniform, load));
        EXPECT_GT(r.mean_cycles, before);
        before = r.mean_cycles;
    }
}

// A link that serves a packet in 16 cycles, with arrivals in any cycle alike: its mean queue is arithmetic, load x 15 /
// (2 (1 - load)). The packets wait at the source, whose queue into the network holds one packet.
TEST(offered_load, latency_counts_from_a_packets_creation) {
    for (const double load : {0.5, 0.8}) {
        loaded l = of({8}, traffic_pattern::neighbour, load);
        l.torus.queue = 1;
        l.source.traffic.measure = 100'000;
        const double expected = 4 + 2 + 16 + load * 15 / (2 * (1 - load));
        EXPECT_NEAR(run(l).mean_cycles, expected, 0.05 * expected);
    }
}

TEST(offered_load, neighbours_have_the_full_rate) {
    const result r = run(of({6, 2}, traffic_pattern::neighbour, 1));
    EXPECT_GT(r.accepted, 0.97);
    EXPECT_LE(r.accepted, 1.0);
}

// A node that sends three links away needs a third of each.
TEST(offered_load, a_tornado_on_a_ring_of_8_gets_a_third) {
    const result r = run(of({8}, traffic_pattern::tornado, 1));
    EXPECT_LE(r.accepted, 1.0 / 3 + 0.01);
    EXPECT_GT(r.accepted, 0.97 / 3);
    EXPECT_TRUE(r.saturated);
}

// With equal turns a node injects packets that the ring cannot carry on, and the rings jam: the next node's own packets
// get half of each link, and those that have crossed a link get the other half.
TEST(offered_load, equal_turns_of_transit_and_own_packets_cost_a_tornado_a_quarter) {
    loaded l = of({8}, traffic_pattern::tornado, 1);
    l.torus.transit_turns = 1;
    EXPECT_LT(run(l).accepted, 0.27);
}

// In a ring of 8, distances 1 to 4 go in the positive direction: (1 + 2 + 3 + 4) / 7 of a node's packets per link.
TEST(offered_load, uniform_traffic_is_bounded_by_the_busier_half_of_a_ring) {
    const result r = run(of({8}, traffic_pattern::uniform, 1));
    EXPECT_LE(r.accepted, 7.0 / 10 + 0.01);
    EXPECT_GT(r.accepted, 0.8 * 7.0 / 10);
    EXPECT_LE(r.busiest, 1.0 + 16.0 / 8000);
    loaded l = of({8}, traffic_pattern::uniform, 1);
    l.torus.virtual_channels = 8;  // hardly a packet waits behind one for another target
    EXPECT_NEAR(run(l).accepted, 7.0 / 10, 0.015);
}

// A line's middle is crossed by half of the packets of half of the nodes: 4 x 4/7 words a cycle at full load.
TEST(offered_load, uniform_traffic_on_a_line_is_bounded_by_its_bisection) {
    loaded l = of({8}, traffic_pattern::uniform, 1);
    l.torus.topology = net::topology::mesh;
    const result r = run(l);
    EXPECT_GT(r.busiest, 0.8);
    EXPECT_LE(r.busiest, 1.0 + 16.0 / 8000);
    EXPECT_LE(run(of({8}, traffic_pattern::uniform, 0.4)).busiest, 0.4 * 10 / 7 * 1.1);
}

TEST(offered_load, a_hot_spot_gets_what_one_node_can_take) {
    loaded l = of({4, 2}, traffic_pattern::hot_spot, 0.5);
    l.source.traffic.hot_share = 1;
    l.source.traffic.hot_node = 5;
    const result r = run(l);
    // All but the hot node send only to it; it sends to the others.
    const double to_hot = r.accepted * 8 - r.offered;
    EXPECT_NEAR(to_hot, 1, 0.05);
}

TEST(offered_load, errors_cost_latency_and_lose_nothing) {
    loaded l = of({4, 4}, traffic_pattern::uniform, 0.2);
    const result clean = run(l);
    l.torus.error_rate = 0.01;
    const result bad = run(l);
    EXPECT_GT(bad.mean_cycles, clean.mean_cycles);
    EXPECT_NEAR(bad.accepted, clean.accepted, 0.02);
}

TEST(offered_load, is_the_same_in_every_run_of_a_seed) {
    loaded l = of({4, 2}, traffic_pattern::uniform, 0.3);
    const double first = run(l).mean_cycles;
    EXPECT_EQ(run(l).mean_cycles, first);
    l.source.seed = 2;
    EXPECT_NE(run(l).mean_cycles, first);
}

// ---- targets of the patterns

unsigned target(traffic_pattern p, std::vector<std::uint32_t> nodes, unsigned from) {
    net::traffic_spec s;
    s.pattern = p;
    core::random_source draw(1);
    return net::traffic_targets(s, nodes).next(from, draw);
}

TEST(traffic_pattern, has_the_targets_of_the_books) {
    EXPECT_EQ(target(traffic_pattern::tornado, {8}, 6), 1u);
    EXPECT_EQ(target(traffic_pattern::tornado, {5, 4}, 4 + 5 * 3), 1u);  // (4,3) to (6,4) mod (5,4)
    EXPECT_EQ(target(traffic_pattern::transpose, {4, 4}, 1 + 4 * 3), 3u + 4 * 1);
    EXPECT_EQ(target(traffic_pattern::transpose, {3, 3, 3}, 1 + 3 * 2), 2u + 9 * 1);  // (1,2,0) to (2,0,1)
    EXPECT_EQ(target(traffic_pattern::neighbour, {4, 2}, 3), 0u);
    net::traffic_spec s;
    const net::traffic_targets any(s, {3, 3});
    core::random_source draw(1);
    std::vector<unsigned> hits(9);
    for (int i = 0; i < 8000; ++i) ++hits[any.next(4, draw)];
    for (unsigned n = 0; n < 9; ++n) EXPECT_NEAR(hits[n], n == 4 ? 0 : 1000, n == 4 ? 0 : 120) << n;
}

TEST(traffic_pattern, what_has_no_sense_on_a_shape_is_refused) {
    net::traffic_spec s;
    const auto refused = [&](traffic_pattern p, std::vector<std::uint32_t> nodes) {
        s.pattern = p;
        return !net::problems_of(s, nodes).empty();
    };
    EXPECT_TRUE(refused(traffic_pattern::uniform, {1}));
    EXPECT_TRUE(refused(traffic_pattern::tornado, {2, 2}));
    EXPECT_FALSE(refused(traffic_pattern::tornado, {3, 2}));
    EXPECT_TRUE(refused(traffic_pattern::transpose, {4, 2}));
    EXPECT_TRUE(refused(traffic_pattern::transpose, {8}));
    EXPECT_TRUE(refused(traffic_pattern::neighbour, {1, 4}));
    s.hot_node = 8;
    EXPECT_TRUE(refused(traffic_pattern::hot_spot, {4, 2}));
    s.hot_node = 7;
    EXPECT_FALSE(refused(traffic_pattern::hot_spot, {4, 2}));
}

}  // namespace
