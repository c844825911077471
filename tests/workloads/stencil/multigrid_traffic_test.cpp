// SPDX-License-Identifier: Apache-2.0
// What distributed multigrid does to links: each phase loads one direction, of one socket or of every other one.
#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/traffic_machine.h"

namespace contraflow::workloads_test {
namespace {

// At the smallest size for which each phase lasts 50,000 cycles of a link of 64 bytes a cycle.
TEST(multigrid_traffic, residuals_stream_in_and_corrections_out) {
    traffic_machine machine(4);
    const auto w = selected("name: multigrid\ngrid: 1536\n").create();
    w->prepare(machine.memory());
    machine.run(w->run(machine));
    const auto down = machine.sum_of("restrict_0"), up = machine.sum_of("prolong_0");
    EXPECT_GT(down.in[0], 64u * 50'000);
    EXPECT_LT(down.out[0], down.in[0] / 30);
    EXPECT_GT(up.out[0], 64u * 50'000);
    EXPECT_LT(up.in[0], up.out[0] / 30);
    const auto sweeps = machine.sum_of("sweep_0");
    EXPECT_GT(sweeps.total(), 0u);
    EXPECT_LT(sweeps.total(), up.out[0] / 30);
    std::uint64_t below = 0;
    for (const auto& k : machine.kernels()) below += k.name.ends_with("_0") ? 0 : k.total();
    EXPECT_EQ(below, 0u);
    EXPECT_LT(machine.sum_of("").lines, 3'500'000u);
}

// Two sockets send what the two others receive, and the other way round.
TEST(multigrid_traffic, levels_on_half_the_sockets_load_links_two_by_two) {
    traffic_machine machine(4);
    const auto w = selected("name: multigrid\ngrid: 1024\ngathered_on: 2\n").create();
    w->prepare(machine.memory());
    machine.run(w->run(machine));
    const auto down = machine.sum_of("restrict_0"), up = machine.sum_of("prolong_0");
    for (const unsigned holder : {0u, 2u}) {
        EXPECT_GT(down.in[holder], 64u * 7'000);
        EXPECT_LT(down.out[holder], down.in[holder] / 20);
        EXPECT_GT(down.out[holder + 1], 64u * 7'000);
        EXPECT_LT(down.in[holder + 1], down.out[holder + 1] / 20);
        EXPECT_GT(up.out[holder], 64u * 10'000);
        EXPECT_LT(up.in[holder], up.out[holder] / 20);
        EXPECT_GT(up.in[holder + 1], 64u * 10'000);
        EXPECT_LT(up.out[holder + 1], up.in[holder + 1] / 20);
    }
    // The next level is on the first socket alone.
    const auto next = machine.sum_of("restrict_1");
    EXPECT_GT(next.in[0], 0u);
    EXPECT_EQ(next.out[2], next.in[0]);
}

}  // namespace
}  // namespace contraflow::workloads_test
