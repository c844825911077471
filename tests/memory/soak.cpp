// SPDX-License-Identifier: Apache-2.0
// soak_memory [REQUESTS [SEED]]: random traffic through random memory systems until that many requests are answered.
#include <cstdio>
#include <cstdlib>

#include "memory/cache/hierarchy.h"

using namespace contraflow::memory::testing;

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    for (std::uint64_t done = 0; done < wanted; ++seed) {
        hierarchy_plan plan;
        plan.units = 1 + static_cast<unsigned>(seed % 8);
        plan.banks = 1 + static_cast<unsigned>(seed / 8 % 4);
        plan.requests = 2000;
        plan.seed = seed;
        bench b;
        hierarchy h(b, plan);
        h.start();
        b.sim.run();
        h.expect_all_well();
        if (::testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed()) {
            std::printf("failed: soak_memory 1 %llu\n", static_cast<unsigned long long>(seed));
            return 1;
        }
        done += h.answered();
    }
    std::printf("%llu requests answered rightly\n", static_cast<unsigned long long>(wanted));
    return 0;
}
