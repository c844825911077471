// SPDX-License-Identifier: Apache-2.0
// Breadth-first search over several PEs, verified.
#include "program_machine.h"
#include "shmem/programs/bfs.h"

using namespace contraflow;
using namespace contraflow::shmem;
using shmem::testing::by;
using shmem::testing::program_machine;
using shmem::testing::small_cluster;

namespace {

class frontier_exchange : public ::testing::TestWithParam<std::tuple<unsigned, scheme>> {};
INSTANTIATE_TEST_SUITE_P(on, frontier_exchange,
                         ::testing::Combine(::testing::Values(2u, 3u), ::testing::Values(scheme::gio, scheme::ikn)),
                         [](const auto& p) {
                             return fmt::format("{}_nodes_by_{}", std::get<0>(p.param),
                                                config::name_of(std::get<1>(p.param)));
                         });

// Few levels of many vertices, and many levels of few.
TEST_P(frontier_exchange, finds_the_level_of_each_vertex) {
    const auto [nodes, how] = GetParam();
    bfs::spec wide, deep;
    wide.graph.scale = 8;
    wide.graph.edge_factor = 4;
    deep.graph.kind = workloads::graph_kind::grid;
    deep.graph.width = 13;
    deep.graph.height = 5;
    for (bfs::spec s : {wide, deep})
        for (const unsigned workgroups : {1u, 3u}) {
            s.workgroups = workgroups;
            bfs p(s, bfs::graph_of(s), nodes);
            program_machine m(small_cluster(nodes), p, by(how));
            EXPECT_EQ(m.play(), "") << workgroups << " " << config::name_of(s.graph.kind);
        }
}

TEST(frontier_exchange, by_wavefronts_of_64_threads_finds_the_level_of_each_vertex) {
    auto c = small_cluster(3);
    c.node.gpu.values.unit.wave_width = 64;
    bfs::spec s;
    s.graph.scale = 8;
    s.graph.edge_factor = 4;
    s.workgroups = 3;
    bfs p(s, bfs::graph_of(s), 3);
    program_machine m(c, p, by(scheme::gio));
    EXPECT_EQ(m.play(), "");
}

// A number that overtakes its vertices makes the receiver read what was there before.
TEST(frontier_exchange, without_fences_is_wrong) {
    auto c = small_cluster(2);
    c.node.gpu.values.ppb.drain_after = core::sim_time::from_us(40);
    c.node.gpu.values.ppb.order = gpu::drain_order::random;
    bfs::spec s;
    s.graph.scale = 8;
    s.graph.edge_factor = 4;
    s.workgroups = 2;
    unsigned wrong = 0;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        c.node.gpu.values.ppb.seed = seed;
        for (const bool taken : {true, false}) {
            scheme_run::spec how = by(scheme::gio);
            how.job.steps.fence = taken;
            bfs p(s, bfs::graph_of(s), 2);
            program_machine m(c, p, how);
            const bool right = m.play().empty();
            if (taken)
                EXPECT_TRUE(right);
            else
                wrong += !right;
        }
    }
    EXPECT_GT(wrong, 0u);
}

}  // namespace
