// SPDX-License-Identifier: Apache-2.0
// Sparse triangular systems over several PEs, verified.
#include "program_machine.h"
#include "shmem/programs/triangular_solve.h"

using namespace contraflow;
using namespace contraflow::shmem;
using shmem::testing::by;
using shmem::testing::program_machine;
using shmem::testing::small_cluster;

namespace {

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
        triangular_solve p(s, triangular_solve::triangle_of(s), nodes);
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
    const auto s = solve_of(workloads::matrix_kind::road, 700, 1680);
    const auto lower = triangular_solve::triangle_of(s);
    for (const unsigned pes : {1u, 2u, 3u}) {
        triangular_solve p(s, lower, pes);
        program_machine m(small_cluster(3), p, by(scheme::gio));
        EXPECT_EQ(m.play(), "");
        EXPECT_EQ(p.sums_sent() == 0, pes == 1);
    }
    triangular_solve p(s, lower, 4);
    EXPECT_THROW(program_machine(small_cluster(3), p, by(scheme::gio)), std::invalid_argument);
}

TEST(dealt_solve, runs_by_kernels_only) {
    const auto s = solve_of(workloads::matrix_kind::road, 700, 1680);
    triangular_solve p(s, triangular_solve::triangle_of(s), 2);
    try {
        program_machine m(small_cluster(2), p, by(scheme::inter_k));
        ADD_FAILURE() << "accepted";
    } catch (const std::invalid_argument& e) {
        EXPECT_THAT(e.what(), ::testing::HasSubstr("gio and ikn run it, not inter_k"));
    }
}

}  // namespace
