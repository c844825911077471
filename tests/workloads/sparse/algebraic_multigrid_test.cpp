// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/sparse/aggregation.h"

namespace contraflow::workloads_test {
namespace {

using namespace workloads;

TEST(algebraic_multigrid, is_right_and_seen_when_wrong) {
    // After an even number of sweeps the result is in the first array.
    check("name: algebraic_multigrid\nside: 6\n", {0});
    check("name: algebraic_multigrid\nside: 5\nshuffled: false\ncycles: 2\nsweeps: 2\n", {0});
    check("name: algebraic_multigrid\nside: 2\nbottom_sweeps: 3\n", {1});
}

TEST(aggregation, every_unknown_is_in_one_aggregate_and_equations_are_summed) {
    const auto levels = aggregate_levels(cube_laplacian(8, true, 1), 32);
    ASSERT_GE(levels.size(), 3u);
    EXPECT_LE(levels.back().matrix.rows, 32u);
    for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
        const auto& l = levels[k];
        const auto& coarse = levels[k + 1].matrix;
        EXPECT_LT(coarse.rows, l.matrix.rows / 2);
        ASSERT_EQ(l.member.size(), l.matrix.rows);
        for (std::uint32_t a = 0; a < coarse.rows; ++a) {
            EXPECT_LT(l.member_begin[a], l.member_begin[a + 1]);
            for (std::uint32_t i = l.member_begin[a]; i < l.member_begin[a + 1]; ++i)
                EXPECT_EQ(l.aggregate[l.member[i]], a);
        }
        // The product with a vector that is constant in each aggregate, row by row.
        std::vector<double> fine(coarse.rows), direct(coarse.rows);
        for (std::uint32_t r = 0; r < l.matrix.rows; ++r)
            for (std::uint32_t i = l.matrix.row_begin[r]; i < l.matrix.row_begin[r + 1]; ++i)
                fine[l.aggregate[r]] += l.matrix.value[i] * (1 + l.aggregate[l.matrix.column[i]]);
        for (std::uint32_t a = 0; a < coarse.rows; ++a)
            for (std::uint32_t i = coarse.row_begin[a]; i < coarse.row_begin[a + 1]; ++i)
                direct[a] += coarse.value[i] * (1 + coarse.column[i]);
        for (std::uint32_t a = 0; a < coarse.rows; ++a) EXPECT_NEAR(fine[a], direct[a], 1e-9);
    }
}

TEST(aggregation, cycles_converge_to_the_solution) {
    const csr_matrix m = cube_laplacian(9, true, 2);
    const auto levels = aggregate_levels(m, 32);
    std::vector<double> right(m.rows), b(m.rows);
    for (std::uint32_t i = 0; i < m.rows; ++i) right[i] = std::sin(i);
    for (std::uint32_t r = 0; r < m.rows; ++r)
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i) b[r] += m.value[i] * right[m.column[i]];
    const auto x = solve_by_aggregation(levels, b, 60, 2, 20);
    for (std::uint32_t i = 0; i < m.rows; ++i) EXPECT_NEAR(x[i], right[i], 1e-6);
}

TEST(aggregation, a_laplacian_has_row_sums_of_zero_inside_and_is_symmetric) {
    const csr_matrix m = cube_laplacian(3, false, 1);
    ASSERT_EQ(m.rows, 27u);
    double centre = 0, corner = 0;
    for (std::uint32_t i = m.row_begin[13]; i < m.row_begin[14]; ++i) centre += m.value[i];
    for (std::uint32_t i = m.row_begin[0]; i < m.row_begin[1]; ++i) corner += m.value[i];
    EXPECT_EQ(centre, 0);
    EXPECT_EQ(corner, 3);
    EXPECT_EQ(m.column.size(), 27u + 2 * 3 * 2 * 9);
}

}  // namespace
}  // namespace contraflow::workloads_test
