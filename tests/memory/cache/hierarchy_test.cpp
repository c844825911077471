// SPDX-License-Identifier: Apache-2.0
// Whole memory systems of random shape, under random traffic, invalidations, flushes and back-pressure.
#include <sstream>

#include "hierarchy.h"

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::bench;
using memory::testing::hierarchy;
using memory::testing::hierarchy_plan;

namespace {

std::string run(const hierarchy_plan& plan) {
    bench b;
    hierarchy h(b, plan);
    h.start();
    b.sim.run();
    h.expect_all_well();
    std::ostringstream statistics;
    b.statistics.write_csv(statistics, b.sim.events().now());
    return statistics.str();
}

TEST(memory_hierarchy, random_systems_answer_rightly) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        hierarchy_plan plan;
        plan.units = 1 + static_cast<unsigned>(seed % 5);
        plan.banks = 1 + static_cast<unsigned>(seed % 4);
        plan.requests = 1200;
        plan.seed = seed;
        run(plan);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(memory_hierarchy, the_same_seed_gives_the_same_statistics) {
    hierarchy_plan plan;
    plan.seed = 7;
    const std::string once = run(plan);
    EXPECT_EQ(once, run(plan));
    plan.checked = false;  // a checker changes nothing
    EXPECT_EQ(once, run(plan));
    plan.seed = 8;
    EXPECT_NE(once, run(plan));
}

}  // namespace
