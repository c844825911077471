// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/stencil/multigrid_host.h"

namespace contraflow::workloads_test {
namespace {

using workloads::multigrid_host;
using workloads::multigrid_spec;

TEST(multigrid, is_right_and_seen_when_wrong) {
    check("name: multigrid\ngrid: 56\nblock: 64\nsmall: 0\n", {1});
    check("name: multigrid\ngrid: 64\nsmall: 4000000\nsmall_block: 96\npre: 2\n", {0});
    check("name: multigrid\ngrid: 80\ncycles: 2\npre: 2\npost: 1\nsockets: 1\n", {1});
    check("name: multigrid\ngrid: 40\ndimensions: 3\nsmall: 1000\ndistributed: 2\n", {1});
    check("name: multigrid\ngrid: 8\ndimensions: 3\nsockets: 3\npost: 0\n", {0});
    check("name: multigrid\ngrid: 64\ndistributed: 20\npost: 2\n", {0});
    check("name: multigrid\ngrid: 112\nsmall: 0\ngathered_on: 2\n", {1});
    check("name: multigrid\ngrid: 40\ndimensions: 3\nsmall: 100\ngathered_on: 4\nsockets: 8\nblock: 96\n", {1});
    check("name: multigrid\ngrid: 96\nsmall: 0\ngathered_on: 2\nsockets: 6\ndistributed: 2\n", {1});
}

// 64, 32, 16, 8, 4 and 2 cells along an edge.
TEST(multigrid, sockets_that_would_hold_no_level_are_refused) {
    const auto problems = [](const char* distributed, const char* sockets) {
        return selected(std::string("name: multigrid\ngrid: 64\ndistributed: ") + distributed +
                        "\ngathered_on: " + sockets + "\n")
            .problems();
    };
    EXPECT_TRUE(problems("5", "2").empty());
    EXPECT_TRUE(problems("6", "1").empty());
    for (const char* const all : {"6", "20"}) {
        ASSERT_EQ(problems(all, "2").size(), 1u);
        EXPECT_TRUE(problems(all, "2")[0].names("gathered_on"));
        EXPECT_TRUE(problems(all, "2")[0].names("distributed"));
    }
}

double left_after(multigrid_spec s, unsigned cycles) {
    s.cycles = cycles;
    const multigrid_host host(s);
    return host.residual_norm(host.solve());
}

// The textbook rate of Jacobi's method, one sweep down and one up: 0.3 a cycle in two dimensions, 0.4 in three,
// whatever the size.
TEST(multigrid, converges_as_multigrid_does) {
    for (const unsigned n : {32u, 96u}) {
        multigrid_spec flat;
        flat.grid = n;
        EXPECT_LT(left_after(flat, 5) / left_after(flat, 1), std::pow(0.32, 4)) << n;
        multigrid_spec deep = flat;
        deep.dimensions = 3;
        EXPECT_LT(left_after(deep, 4) / left_after(deep, 1), std::pow(0.44, 3)) << n;
    }
}

TEST(multigrid, comes_to_the_equations_solution) {
    multigrid_spec s;
    s.grid = 40;
    s.cycles = 12;
    const auto u = multigrid_host(s).solve();
    const double h = 1.0 / s.grid;
    double worst = 0;
    for (unsigned i = 0; i < s.grid * s.grid; ++i) {
        const auto part = [&](unsigned k) { return std::sin(std::numbers::pi * h * (k + 0.5)); };
        worst = std::max(worst, std::abs(u[i] - part(i % s.grid) * part(i / s.grid)));
    }
    EXPECT_LT(worst, std::numbers::pi * std::numbers::pi / 12 * h * h * 1.01);  // the scheme's own error
    EXPECT_GT(worst, std::numbers::pi * std::numbers::pi / 12 * h * h * 0.9);
}

}  // namespace
}  // namespace contraflow::workloads_test
