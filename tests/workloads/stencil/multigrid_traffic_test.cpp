// SPDX-License-Identifier: Apache-2.0
// What distributed multigrid does to links: the two-by-two asymmetry of its phases.
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

}  // namespace
}  // namespace contraflow::workloads_test
