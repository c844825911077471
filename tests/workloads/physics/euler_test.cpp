// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/physics/gas.h"
#include "workloads/physics/tetrahedral_mesh.h"

namespace contraflow::workloads_test {
namespace {

using namespace workloads;

TEST(euler, is_right_and_seen_when_wrong) {
    check("name: euler\nside: 4\nsteps: 2\n", {0, 1, 2, 3, 4});
    check("name: euler\nside: 3\nsteps: 1\nnumbering: natural\nseed: 5\n", {0, 4});
    check("name: euler\nside: 1\nsteps: 1\n", {0});
}

TEST(tetrahedral_mesh, surfaces_are_closed_and_neighbours_agree) {
    const tetrahedral_mesh mesh(5, true, 3);
    const auto& all = mesh.elements();
    ASSERT_EQ(all.size(), 5u * 5 * 5 * 6);
    vector3 far_area{};
    std::size_t walls = 0, fars = 0, near = 0;
    for (std::uint32_t e = 0; e < all.size(); ++e) {
        for (unsigned d = 0; d < 3; ++d) {
            double sum = 0;
            for (const auto& n : all[e].normal) sum += n[d];
            EXPECT_NEAR(sum, 0, 1e-15);
        }
        for (unsigned f = 0; f < 4; ++f) {
            const std::uint32_t other = all[e].beyond[f];
            walls += other == tetrahedral_mesh::wall;
            fars += other == tetrahedral_mesh::far_field;
            if (other == tetrahedral_mesh::wall) { EXPECT_NEAR(all[e].normal[f][2], -0.5 / 25, 1e-15); }
            if (other == tetrahedral_mesh::far_field)
                for (unsigned d = 0; d < 3; ++d) far_area[d] += all[e].normal[f][d];
            if (other >= all.size()) continue;
            near += other + 100 > e && e + 100 > other;
            const auto back = std::find(all[other].beyond.begin(), all[other].beyond.end(), e);
            ASSERT_NE(back, all[other].beyond.end());
            const auto& n = all[other].normal[static_cast<std::size_t>(back - all[other].beyond.begin())];
            for (unsigned d = 0; d < 3; ++d) EXPECT_NEAR(n[d], -all[e].normal[f][d], 1e-15);
        }
    }
    EXPECT_EQ(walls, 25u * 2);
    EXPECT_EQ(fars, 5 * 25u * 2);
    EXPECT_NEAR(far_area[0], 0, 1e-12);
    EXPECT_NEAR(far_area[2], 1, 1e-12);  // balances the bottom, whose area points down
    EXPECT_LT(near, all.size());         // of nearly four neighbours each, few have close numbers
}

TEST(gas, an_undisturbed_stream_stays_as_it_is_but_at_walls_that_it_does_not_follow) {
    const tetrahedral_mesh mesh(4, false, 1);
    std::vector<gas_state> states(mesh.elements().size(), far_state);
    flow(mesh, states, 5);
    for (const auto& s : states)
        for (unsigned k = 0; k < 5; ++k) EXPECT_NEAR(s[k], far_state[k], 1e-13);  // along the wall
}

TEST(gas, flux_is_consistent_and_conserves) {
    const vector3 normal{0.3, -0.2, 0.5}, opposite{-0.3, 0.2, -0.5};
    const gas_state a{1.3, 0.4, -0.7, 0.2, 3.1}, b{1.1, -0.2, 0.6, 0.1, 2.7};
    const auto out = flux_through(normal, a, b), back = flux_through(opposite, b, a);
    for (unsigned k = 0; k < 5; ++k) EXPECT_NEAR(out[k], -back[k], 1e-15);
    // The same state on both sides: the analytic flux. Velocity (1, 0, 0), pressure 0.4 * (3 - 0.5), a face in x.
    const gas_state s{1, 1, 0, 0, 3};
    const gas_state expected{2, 2 * (1 + 1.0), 0, 0, 2 * (3 + 1.0)};
    const auto through = flux_through({2, 0, 0}, s, s);
    for (unsigned k = 0; k < 5; ++k) EXPECT_NEAR(through[k], expected[k], 1e-14);
    EXPECT_NEAR(flux_through_wall({0, 0, -2}, s)[3], -2, 1e-14);
}

TEST(gas, disturbances_die_out) {
    const tetrahedral_mesh mesh(3, true, 1);
    std::vector<gas_state> states(mesh.elements().size(), far_state);
    for (std::size_t e = 0; e < states.size(); ++e)
        for (auto& k : states[e]) k *= e % 2 == 0 ? 1.1 : 0.9;
    flow(mesh, states, 100);
    for (const auto& s : states)
        for (unsigned k = 0; k < 5; ++k) EXPECT_NEAR(s[k], far_state[k], 0.02);
}

}  // namespace
}  // namespace contraflow::workloads_test
