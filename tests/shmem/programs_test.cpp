// SPDX-License-Identifier: Apache-2.0
// Each program by each scheme, verified.
#include "machine.h"
#include "shmem/programs/jacobi.h"
#include "shmem/programs/ping_pong.h"
#include "shmem/programs/put_latency.h"
#include "shmem/programs/scheme_run.h"
#include "shmem/programs/triangular_solve.h"

using namespace contraflow;
using namespace contraflow::shmem;
using core::sim_time;
using shmem::testing::small_cluster;

namespace {

struct program_machine {
    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    host::queue_pair_cluster cluster;
    scheme_run run;

    program_machine(const host::queue_pair_cluster::spec& c, program_if& p, const scheme_run::spec& s)
        : cluster("", sim.events(), statistics, c),
          run(sim.events(), cluster, p, s) {
        sim.run_to(sim_time::from_us(1));
        sim.run();
    }
    // To its end; returns what is wrong.
    std::string play(sim_time limit = sim_time::from_us(50'000)) {
        const sim_time end = sim.events().now() + limit;
        run.start();
        while (!run.finished()) {
            if (sim.events().now() >= end) {
                std::vector<core::wait_edge> edges;
                run.report_waits(edges);
                std::string text = "it never came:";
                for (const auto& e : edges) text += " " + e.waiter + " waits for " + e.resource + ";";
                return text;
            }
            sim.run_to(sim.events().now() + sim_time::from_us(1));
        }
        run.stop();
        sim.run();
        cluster.settle();
        observe::conservation checks;
        cluster.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        return run.problem();
    }
    // Mean time of a step of PE 0, without the first.
    double us_a_step() const {
        const auto& ends = run.step_ends(0);
        return static_cast<double>((ends.back() - ends.front()).ps) / 1e6 / static_cast<double>(ends.size() - 1);
    }
};

scheme_run::spec by(scheme how) {
    scheme_run::spec s;
    s.how = how;
    return s;
}

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

triangular_solve::spec solve_of(workloads::matrix_kind kind, std::uint32_t rows, std::uint32_t entries) {
    triangular_solve::spec s;
    s.matrix.values.kind = kind;
    s.matrix.values.rows = rows;
    s.matrix.values.entries = entries;
    s.workgroups = 3;
    return s;
}

class dealt_solve : public ::testing::TestWithParam<std::tuple<unsigned, scheme>> {};
INSTANTIATE_TEST_SUITE_P(on, dealt_solve,
                         ::testing::Combine(::testing::Values(2u, 3u, 4u), ::testing::Values(scheme::gio, scheme::ikn)),
                         [](const auto& p) {
                             return fmt::format("{}_nodes_by_{}", std::get<0>(p.param),
                                                config::name_of(std::get<1>(p.param)));
                         });

TEST_P(dealt_solve, is_right_on_every_kind_of_matrix_in_blocks_of_any_length) {
    const auto [nodes, how] = GetParam();
    const auto solve = [nodes = nodes, how = how](triangular_solve::spec s, std::uint32_t block, unsigned rows) {
        SCOPED_TRACE(config::name_of(s.matrix.values.kind));
        s.block = block;
        s.rows = rows;
        triangular_solve p(s);
        program_machine m(small_cluster(nodes), p, by(how));
        EXPECT_EQ(m.play(), "");
        EXPECT_GT(p.sums_sent(), 0u);
    };
    solve(solve_of(workloads::matrix_kind::road, 700, 1680), 32, 32);
    solve(solve_of(workloads::matrix_kind::circuit, 400, 1601), 7, 32);
    solve(solve_of(workloads::matrix_kind::kkt, 300, 1500), 32, 8);
    solve(solve_of(workloads::matrix_kind::web, 500, 1500), 1, 1);
}

TEST(dealt_solve, on_fewer_pes_than_there_are) {
    auto s = solve_of(workloads::matrix_kind::road, 700, 1680);
    for (const unsigned pes : {1u, 2u, 3u}) {
        s.pes = pes;
        triangular_solve p(s);
        program_machine m(small_cluster(3), p, by(scheme::gio));
        EXPECT_EQ(m.play(), "");
        EXPECT_EQ(p.sums_sent() == 0, pes == 1);
    }
    s.pes = 4;
    triangular_solve p(s);
    EXPECT_THROW(program_machine(small_cluster(3), p, by(scheme::gio)), std::invalid_argument);
}

TEST(dealt_solve, runs_by_kernels_only) {
    triangular_solve p(solve_of(workloads::matrix_kind::road, 700, 1680));
    try {
        program_machine m(small_cluster(2), p, by(scheme::inter_k));
        ADD_FAILURE() << "accepted";
    } catch (const std::invalid_argument& e) {
        EXPECT_THAT(e.what(), ::testing::HasSubstr("gio and ikn run it, not inter_k"));
    }
}

}  // namespace
