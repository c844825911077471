// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "workloads/check.h"
#include "workloads/sparse/matrix_generators.h"
#include "workloads/sparse/triangle.h"

namespace contraflow::workloads_test {
namespace {

using namespace workloads;
using testing::ElementsAre;

constexpr std::size_t x = 6;  // of the arrays, in the order of allocation

TEST(triangular_solve, is_right_on_every_kind_of_matrix_and_seen_when_wrong) {
    check("name: triangular_solve\nmatrix: {kind: road, rows: 3000, entries: 7200}\n", {x});
    check("name: triangular_solve\nmatrix: {kind: circuit, rows: 2000, entries: 8001}\n", {x});
    check("name: triangular_solve\nrows: 1\nmatrix: {kind: kkt, rows: 1000, entries: 9000}\n", {x});
    check("name: triangular_solve\nrows: 5\nmatrix: {kind: kkt, rows: 1000, entries: 9000}\n", {x});
    check("name: triangular_solve\nmatrix: {kind: web, rows: 2500, entries: 9000}\n", {x});
    check("name: triangular_solve\nmatrix: {kind: random, rows: 333, row_entries: 7}\n", {x});
    check("name: triangular_solve\npause: 0\nmatrix: {kind: stencil, width: 17, height: 5}\n", {x});
    check("name: triangular_solve\nmatrix: {kind: file, file: '" + std::string(CF_TEST_DATA) +
              "/workloads/bar_truss.mtx'}\n",
          {x});
}

// Without entries below the diagonal, and with a chain in which each row needs the one before.
TEST(triangular_solve, is_right_where_no_row_waits_and_where_each_does) {
    check("name: triangular_solve\nmatrix: {kind: circuit, rows: 700, entries: 700}\n", {x});
    check("name: triangular_solve\nmatrix: {kind: stencil, width: 600, height: 1}\n", {x});
    EXPECT_EQ(levels_of(lower_triangle(circuit_matrix(700, 700, 1))), 1u);
}

TEST(triangle, has_what_is_below_the_diagonal_and_dominates_it) {
    const auto l = lower_triangle(to_csr({3, 3, {{0, 0, 9}, {0, 2, 5}, {2, 0, -2}, {2, 1, .5}, {2, 2, 0}, {1, 2, 4}}}));
    EXPECT_THAT(l.row_begin, ElementsAre(0, 1, 2, 5));
    EXPECT_THAT(l.column, ElementsAre(0, 1, 0, 1, 2));
    EXPECT_THAT(l.value, ElementsAre(1, 1, -2, .5, 3.5));
    EXPECT_EQ(levels_of(l), 2u);
    // x0 = 1, x1 = 2, 3.5 x2 = 6 + 2 - 1.
    EXPECT_THAT(solve_forward(l, {1, 2, 6}), ElementsAre(1, 2, 2));
    EXPECT_THROW(lower_triangle(to_csr({2, 3, {}})), std::invalid_argument);
}

TEST(triangle, transposed_has_rows_and_columns_exchanged) {
    const auto t = transposed(to_csr({2, 3, {{0, 0, 1}, {0, 2, 2}, {1, 0, 3}}}));
    EXPECT_EQ(t.rows, 3u);
    EXPECT_EQ(t.columns, 2u);
    EXPECT_THAT(t.row_begin, ElementsAre(0, 2, 2, 3));
    EXPECT_THAT(t.column, ElementsAre(0, 1, 0));
    EXPECT_THAT(t.value, ElementsAre(1, 3, 2));
}

// x = (1, 1). The first row has the error of a difference and a division, 2 u. The second has 3 x 2 u from it and u of
// its term of 3, both divided by 4, and 2 u of its own.
TEST(triangle, tolerance_is_twice_the_greatest_error_of_a_row) {
    const auto l = lower_triangle(to_csr({2, 2, {{1, 0, 3}}}));
    const auto solution = solve_forward(l, {1, 7});
    EXPECT_THAT(solution, ElementsAre(1, 1));
    EXPECT_DOUBLE_EQ(solution_tolerance(l, solution), 2 * 1.01 * ((3 * 2 + 3) / 4.0 + 2) * 0x1p-53);
}

// Solutions whose terms are added up in random orders, against one in a wider type.
TEST(triangle, solutions_differ_by_less_than_the_tolerance_and_not_by_much_less) {
    for (const csr_matrix& m :
         {road_matrix(4000, 9600, 1), circuit_matrix(4000, 16000, 1), web_matrix(4000, 60000, 1)}) {
        const csr_matrix l = lower_triangle(m);
        core::random_source random(5);
        std::vector<double> b(l.rows);
        for (double& v : b) v = random.unit();
        const std::vector<double> right = solve_forward(l, b);
        std::vector<double> other(l.rows);
        std::vector<long double> exact(l.rows);
        double apart = 0, wrong = 0, greatest = 0;
        for (std::uint32_t r = 0; r < l.rows; ++r) {
            const std::uint32_t diagonal = l.row_begin[r + 1] - 1;
            std::vector<std::uint32_t> order;
            for (std::uint32_t i = l.row_begin[r]; i < diagonal; ++i) order.push_back(i);
            core::shuffle(order, random);
            double sum = 0;
            long double exact_sum = 0;
            for (const std::uint32_t i : order) {
                sum += l.value[i] * other[l.column[i]];
                exact_sum += static_cast<long double>(l.value[i]) * exact[l.column[i]];
            }
            other[r] = (b[r] - sum) / l.value[diagonal];
            exact[r] = (b[r] - exact_sum) / l.value[diagonal];
            apart = std::max(apart, std::abs(other[r] - right[r]));
            wrong = std::max(wrong, static_cast<double>(std::abs(exact[r] - static_cast<long double>(right[r]))));
            greatest = std::max(greatest, std::abs(right[r]));
        }
        const double tolerance = solution_tolerance(l, right);
        EXPECT_LE(greatest, 1);
        EXPECT_GT(apart, 0);
        EXPECT_LE(apart, tolerance);
        EXPECT_LE(2 * wrong, tolerance);
        EXPECT_LT(tolerance, 1000 * apart);
        EXPECT_LT(tolerance, 1e-13);
    }
}

}  // namespace
}  // namespace contraflow::workloads_test
