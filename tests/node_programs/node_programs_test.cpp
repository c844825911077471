// SPDX-License-Identifier: Apache-2.0
// Programs of several nodes on a cluster: right results for any number of nodes, and conservation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/simulation.h"
#include "host/cluster/rdma_cluster.h"
#include "nic/receive/receive_pipeline.h"
#include "node_programs/distributed_bfs.h"
#include "node_programs/pattern_exchange.h"
#include "node_programs/program_run.h"
#include "node_programs/ring_all_reduce.h"
#include "node_programs/spin_glass.h"
#include "node_programs/spin_lattice.h"

namespace {

using namespace contraflow;
using namespace contraflow::node_programs;
using nic::position;

host::rdma_cluster::spec machine(std::vector<std::uint32_t> nodes) {
    host::rdma_cluster::spec s;
    s.torus.nodes = std::move(nodes);
    s.node.memory = {1u << 20};
    s.node.gpu.values.memory = {1u << 20};
    s.node.gpu.values.aperture = {1u << 20};
    return s;
}

std::vector<position> positions_of(const std::vector<std::uint32_t>& extent) {
    std::vector<position> all;
    const auto of = [&](std::size_t a) { return a < extent.size() ? extent[a] : 1u; };
    for (std::uint32_t z = 0; z < of(2); ++z)
        for (std::uint32_t y = 0; y < of(1); ++y)
            for (std::uint32_t x = 0; x < of(0); ++x)
                all.push_back(
                    {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), static_cast<std::uint8_t>(z)});
    return all;
}

struct run {
    explicit run(std::vector<std::uint32_t> extent)
        : cluster("", sim.events(), statistics, machine(std::move(extent)), host::rdma_node::parts{make_receive}) {}

    // A node's PCIe moves nothing for 40 us. Times are counted from the start of the programs.
    struct stall {
        unsigned node = 0;
        core::sim_time from{};
    };
    // Returns problem().
    std::string of(node_program_if& p, const std::optional<stall>& slow = std::nullopt,
                   peer_to_peer mode = peer_to_peer::rx_tx) {
        program_run on(sim.events(), cluster, p, mode);
        sim.run();
        on.start();
        if (slow) {
            sim.run_until(sim.events().now() + slow->from);
            cluster.node(slow->node).control(core::control_verb::pause);
            sim.run_until(sim.events().now() + core::sim_time::from_us(40));
            cluster.node(slow->node).control(core::control_verb::enable);
        }
        sim.run();
        EXPECT_TRUE(on.finished());
        EXPECT_EQ(cluster.outstanding(), 0u);
        observe::conservation checks;
        cluster.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        return on.problem();
    }

    core::simulation sim;
    observe::statistics statistics;
    nic::datapath_factory make_receive = nic::make_hardware_datapath;
    host::rdma_cluster cluster;
};

TEST(spin_lattice, over_relaxation_keeps_the_energy_and_the_lengths_and_moves_every_spin) {
    constexpr std::uint32_t side = 8;
    std::vector<std::uint8_t> memory(spin_lattice::bytes(side, side));
    spin_lattice all(memory, side, 0, side, 3);
    all.fill();
    auto first = memory;
    const double before = all.energy();
    EXPECT_LT(std::abs(before), 3.0 * side * side * side);
    const std::uint64_t plane = spin_lattice::plane_bytes(side);
    for (unsigned half = 0; half < 6; ++half) {
        const unsigned parity = half % 2;
        all.update(parity, 0, side);
        std::memcpy(&memory[all.offset(parity, -1)], &memory[all.offset(parity, side - 1)], plane);
        std::memcpy(&memory[all.offset(parity, side)], &memory[all.offset(parity, 0)], plane);
    }
    EXPECT_NEAR(all.energy(), before, 1e-3);
    const spin_lattice old(first, side, 0, side, 3);
    for (unsigned parity = 0; parity < 2; ++parity)
        for (int z = 0; z < static_cast<int>(side); ++z)
            for (std::uint32_t y = 0; y < side; ++y)
                for (std::uint32_t n = 0; n < side / 2; ++n) {
                    const auto s = all.at(parity, z, y, n);
                    EXPECT_NEAR(s[0] * s[0] + s[1] * s[1] + s[2] * s[2], 1.0, 1e-5);
                    EXPECT_NE(s, old.at(parity, z, y, n));
                }
}

TEST(spin_glass, slabs_of_one_two_and_four_nodes_are_the_sequential_lattice) {
    for (const auto& extent : {std::vector<std::uint32_t>{1}, {2}, {2, 2}}) {
        const auto positions = positions_of(extent);
        auto p = make_spin_glass({.side = 8, .sweeps = 3}, static_cast<unsigned>(positions.size()));
        EXPECT_EQ(run(extent).of(*p), "") << positions.size() << " nodes";
        EXPECT_EQ(p->counts().operations, 3u * 8 * 8 * 8);
    }
}

TEST(program_run, what_is_written_behind_a_window_is_told) {
    run r({2});
    auto p = make_all_reduce({.vector = {64}}, 2);
    program_run on(r.sim.events(), r.cluster, *p);
    r.sim.run();
    on.start();
    r.sim.run();
    EXPECT_EQ(on.problem(), "");
    r.cluster.node(1).gpu_memory()[128 + 7] ^= 1;
    EXPECT_EQ(on.problem(), "rank 1: byte 7 behind the window was written");
    auto large = make_all_reduce({.vector = {4u << 20}}, 2);
    EXPECT_THROW(program_run(r.sim.events(), r.cluster, *large), std::invalid_argument);
}

TEST(node_programs, messages_through_the_hosts_memory_give_the_same_results) {
    const std::vector<std::uint32_t> extent{3};
    for (const peer_to_peer mode : {peer_to_peer::rx, peer_to_peer::off}) {
        auto exchange = make_exchange({.block = {3000}, .rounds = 3}, positions_of(extent));
        EXPECT_EQ(run(extent).of(*exchange, {}, mode), "");
        auto sum = make_all_reduce({.vector = {3 * 4096}, .rounds = 2}, 3);
        EXPECT_EQ(run(extent).of(*sum, {}, mode), "");
    }
}

TEST(spin_glass, a_lattice_that_cannot_be_cut_is_refused) {
    EXPECT_THROW(make_spin_glass({.side = 8}, 3), std::invalid_argument);
    EXPECT_THROW(make_spin_glass({.side = 8}, 8), std::invalid_argument);
    EXPECT_THROW(make_spin_glass({.side = 7}, 1), std::invalid_argument);
}

TEST(spin_glass, verify_names_a_plane_that_is_wrong) {
    run r({2});
    auto p = make_spin_glass({.side = 8, .sweeps = 1}, 2);
    ASSERT_EQ(r.of(*p), "");
    r.cluster.node(1).gpu_memory()[spin_lattice::plane_bytes(8) * 2 + 5] ^= 1;
    EXPECT_EQ(p->verify(), "plane 1 of rank 1 is not that of the sequential run");
}

TEST(pattern_exchange, every_block_arrives_in_all_rounds) {
    for (const exchange_kind kind : {exchange_kind::all_to_all, exchange_kind::halo})
        for (const auto& extent : {std::vector<std::uint32_t>{2}, {3, 2}, {2, 2, 2}}) {
            const auto positions = positions_of(extent);
            auto p = make_exchange({.kind = kind, .block = {1000}, .rounds = 3}, positions);
            EXPECT_EQ(run(extent).of(*p), "");
            const std::uint64_t n = positions.size();
            std::uint64_t peers = n - 1;
            if (kind == exchange_kind::halo)
                peers = 2 * static_cast<std::uint64_t>(std::ranges::count_if(extent, [](auto e) { return e > 1; }));
            EXPECT_EQ(p->counts().messages, n * peers * 3);
            EXPECT_EQ(p->counts().payload_bytes, n * peers * 3 * 1000);
        }
    EXPECT_THROW(make_exchange({}, positions_of({1})), std::invalid_argument);
}

TEST(all_reduce, every_node_has_the_sum_after_each_round) {
    for (const auto& extent : {std::vector<std::uint32_t>{2}, {3}, {4, 2}}) {
        const auto ranks = static_cast<unsigned>(positions_of(extent).size());
        auto p = make_all_reduce({.vector = {ranks * 4096u}, .rounds = 3}, ranks);
        EXPECT_EQ(run(extent).of(*p), "") << ranks << " nodes";
        // All ranks but one add to each of the vector's integers.
        EXPECT_EQ(p->counts().operations, 3u * ranks * 1024 * (ranks - 1));
    }
    EXPECT_THROW(make_all_reduce({.vector = {4096}}, 3), std::invalid_argument);
    EXPECT_THROW(make_all_reduce({}, 1), std::invalid_argument);
}

TEST(all_reduce, verify_names_an_element_that_is_wrong) {
    run r({2});
    auto p = make_all_reduce({.vector = {64}}, 2);
    ASSERT_EQ(r.of(*p), "");
    r.cluster.node(1).gpu_memory()[8] ^= 1;
    EXPECT_EQ(p->verify().find("element 2 of rank 1 is "), 0u) << p->verify();
}

TEST(distributed_bfs, levels_are_those_of_a_sequential_search) {
    for (const auto& extent : {std::vector<std::uint32_t>{1}, {3}, {4, 2}}) {
        const auto ranks = static_cast<unsigned>(positions_of(extent).size());
        bfs_spec s;
        s.graph.scale = 9;
        auto p = make_bfs(s, ranks);
        EXPECT_EQ(run(extent).of(*p), "") << ranks << " nodes";
        EXPECT_GT(p->counts().operations, 1000u);
    }
}

// The operations are the edges of the reached part of the graph, once in each direction.
TEST(distributed_bfs, traversed_edges_do_not_depend_on_the_nodes) {
    bfs_spec s;
    s.graph.kind = workloads::graph_kind::grid;
    s.graph.width = s.graph.height = 12;
    std::vector<std::uint64_t> edges;
    for (const auto& extent : {std::vector<std::uint32_t>{2}, {4}}) {
        auto p = make_bfs(s, extent[0]);
        EXPECT_EQ(run(extent).of(*p), "");
        edges.push_back(p->counts().operations);
    }
    EXPECT_EQ(edges[0], workloads::make_graph(s.graph).to.size());
    EXPECT_EQ(edges[1], edges[0]);
}

// Others may be ahead of a slow node: their messages must not overwrite those it has not read yet.
TEST(node_programs, a_node_that_is_slow_at_any_time_still_reads_what_was_meant) {
    const std::vector<std::uint32_t> extent{3};
    const auto positions = positions_of(extent);
    for (unsigned step = 1; step < 10; ++step) {
        const run::stall slow{step % 3, core::sim_time::from_ns(2500) * std::uint64_t{step}};
        auto exchange = make_exchange({.block = {8000}, .rounds = 2}, positions);
        EXPECT_EQ(run(extent).of(*exchange, slow), "") << "all_to_all, step " << step;
        auto sum = make_all_reduce({.vector = {96}, .rounds = 2}, 3);
        EXPECT_EQ(run(extent).of(*sum, slow), "") << "all_reduce, step " << step;
    }
}

}  // namespace
