// SPDX-License-Identifier: Apache-2.0
// Each program by each scheme, verified.
#include "program_machine.h"
#include "shmem/programs/all_reduce.h"
#include "shmem/programs/jacobi.h"
#include "shmem/programs/ping_pong.h"
#include "shmem/programs/put_latency.h"

using namespace contraflow;
using namespace contraflow::shmem;
using core::sim_time;
using shmem::testing::by;
using shmem::testing::program_machine;
using shmem::testing::small_cluster;

namespace {

class programs : public ::testing::TestWithParam<scheme> {};
INSTANTIATE_TEST_SUITE_P(schemes, programs,
                         ::testing::Values(scheme::gio, scheme::ikn, scheme::inter_k, scheme::inter_k_overlap,
                                           scheme::cpu),
                         [](const auto& p) { return std::string(config::name_of(p.param)); });

TEST_P(programs, puts_of_one_and_of_several_workgroups_arrive) {
    for (const unsigned workgroups : {1u, 4u})
        for (const std::uint64_t bytes : {4u, 5000u}) {
            put_latency p({6, {bytes}, workgroups, 64});
            program_machine m(small_cluster(2), p, by(GetParam()));
            EXPECT_EQ(m.play(), "") << workgroups << " " << bytes;
        }
}

TEST_P(programs, ping_pong_adds_one_each_way) {
    for (const std::uint64_t bytes : {1u, 300u}) {
        ping_pong p({4, {bytes}, 64});
        program_machine m(small_cluster(2), p, by(GetParam()));
        EXPECT_EQ(m.play(), "") << bytes;
    }
}

TEST_P(programs, jacobi_on_one_to_sixteen_nodes_gives_the_bits_of_one_processor) {
    for (const unsigned nodes : {1u, 2u, 4u, 16u})
        for (const unsigned workgroups : {1u, 3u}) {
            if (nodes == 16 && workgroups != 1) continue;  // a NIC has 32 queue pairs
            jacobi p({70, 11, 5, workgroups, 64});
            program_machine m(small_cluster(nodes), p, by(GetParam()));
            EXPECT_EQ(m.play(), "") << nodes << " " << workgroups;
        }
}

host::queue_pair_cluster::spec wide_cluster(unsigned nodes) {
    auto c = small_cluster(nodes);
    c.node.gpu.values.unit.wave_width = 64;
    return c;
}

TEST_P(programs, with_wavefronts_of_64_threads_are_right) {
    put_latency puts({6, {5000}, 4, 128});
    program_machine a(wide_cluster(2), puts, by(GetParam()));
    EXPECT_EQ(a.play(), "");
    jacobi j({70, 11, 5, 3, 96});
    program_machine b(wide_cluster(4), j, by(GetParam()));
    EXPECT_EQ(b.play(), "");
}

TEST(schemes, a_put_by_the_kernel_takes_less_than_by_a_helper_and_much_less_than_at_a_kernel_s_boundary) {
    const auto time = [](scheme how) {
        put_latency p({10, {8}, 1, 64});
        auto c = small_cluster(2);
        c.node.gpu.values = gpu::pcie_gpu_spec::of(gpu::gpu_model::mi25);
        program_machine m(c, p, by(how));
        EXPECT_EQ(m.play(), "");
        return m.us_a_step();
    };
    const double gio = time(scheme::gio), ikn = time(scheme::ikn), empty = time(scheme::inter_k_empty),
                 cpu = time(scheme::cpu);
    fmt::print("put of 8 bytes: gio {:.2f}, ikn {:.2f}, inter_k_empty {:.2f}, cpu {:.2f} us\n", gio, ikn, empty, cpu);
    EXPECT_LT(gio, ikn);
    EXPECT_LT(ikn, empty);
    EXPECT_LT(cpu, gio);
    EXPECT_GT(empty, cpu + 12.65);  // launch and teardown, and a workgroup that comes and goes
    EXPECT_LT(empty, cpu + 13.15);
}

TEST(schemes, a_program_whose_bytes_are_wrong_is_not_verified) {
    put_latency p({6, {8}, 1, 64});
    scheme_run::spec s = by(scheme::inter_k_empty);
    program_machine m(small_cluster(2), p, s);
    EXPECT_EQ(m.play(), "");
    jacobi j({70, 11, 5, 1, 64});
    program_machine n(small_cluster(2), j, by(scheme::inter_k_empty));  // nobody computes
    EXPECT_THAT(n.play(), ::testing::HasSubstr("row 1, column 1 is"));
}

// The flag is in the host's memory long before the lines behind the fence are in the GPU's.
TEST(schemes, a_host_that_computes_waits_for_the_flush_before_it_reads) {
    auto c = small_cluster(3);
    c.node.gpu.values.ppb.combiner = 64;
    c.node.gpu.values.ppb.writes = 1;
    c.node.gpu.values.ppb.drain_after = sim_time::from_us(40);
    const auto problem = [&](program_if& p) {
        program_machine m(c, p, by(scheme::cpu));
        return m.play();
    };
    for (const reduction_way way : {reduction_way::tree, reduction_way::ring}) {
        all_reduce sum({2048, way, 1, 2, 64, 5}, 3, false);
        EXPECT_EQ(problem(sum), "") << config::name_of(way);
    }
    jacobi grid({500, 6, 5, 1, 64});
    EXPECT_EQ(problem(grid), "");
    ping_pong there({4, {4000}, 64});
    EXPECT_EQ(problem(there), "");
}

TEST(schemes, jacobi_without_fences_is_wrong_or_hangs) {
    auto c = small_cluster(2);
    c.node.gpu.values.ppb.drain_after = sim_time::from_us(40);
    c.node.gpu.values.ppb.order = gpu::drain_order::random;
    unsigned wrong = 0;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        c.node.gpu.values.ppb.seed = seed;
        for (const bool taken : {true, false}) {
            scheme_run::spec s = by(scheme::gio);
            s.job.steps.fence = taken;
            jacobi p({70, 11, 5, 1, 64});
            program_machine m(c, p, s);
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
