// SPDX-License-Identifier: Apache-2.0
// Whole GPUs of random shapes, with the smallest buffers, under both protocols on every topology: random kernels leave
// the memory that the ideal machine leaves, and every value they load is the expected one.
#include <random>
#include <sstream>

#include "gpu/kernel/ideal_machine.h"
#include "gpu/random_gpu.h"
#include "gpu/random_kernel.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::random_gpu;
using gpu::testing::random_kernel;
using gpu::testing::small_gpu;
using gpu::testing::whole_gpu;

TEST(gpu_stress, random_kernels_leave_the_memory_that_the_ideal_machine_leaves) {
    std::uint64_t requests = 0, remote = 0, turns = 0;
    // Few machines load their links so unevenly that lanes turn: at least one must.
    for (std::uint64_t seed = 1; seed <= 10 || (turns == 0 && seed <= 40); ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 draw(seed);
        whole_gpu g(random_gpu(draw));
        ideal_machine ideal;
        random_kernel timed(g.gpu.memory(), seed), expected(ideal.memory(), seed);
        g.run(timed.run(g.gpu.host()));
        ideal.run(expected.run(ideal));
        ASSERT_EQ(timed.wrong_loads(), 0u);
        ASSERT_EQ(timed.contents(g.gpu.memory()), expected.contents(ideal.memory()));
        g.expect_clean();
        for (const access_kind k : {access_kind::load, access_kind::store, access_kind::atomic}) {
            remote += g.gpu.profile().count(k, true);
            requests += g.gpu.profile().count(k, true) + g.gpu.profile().count(k, false);
        }
        if (g.gpu.network() != nullptr)
            for (const auto& l : g.gpu.network()->links()) turns += l->statistics().turns.value();
        if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    RecordProperty("requests", std::to_string(requests));
    EXPECT_GT(requests, 100'000u);
    EXPECT_GT(remote, 50'000u);
    EXPECT_GT(turns, 0u);
}

TEST(gpu_stress, a_lane_that_fails_in_mid_run_costs_no_data) {
    gpu_spec s = small_gpu();
    whole_gpu g(s);
    ideal_machine ideal;
    random_kernel timed(g.gpu.memory(), 7), expected(ideal.memory(), 7);
    for (unsigned i = 1; i <= 12; ++i)
        g.sim.events().at(
            core::sim_time::from_ns(i * 400),
            [](void* object, std::uint64_t k) {
                auto& gpu = static_cast<whole_gpu*>(object)->gpu;
                gpu.network()->links()[k % 4]->fail_lane(k % 3 == 0 ? link::direction::ab : link::direction::ba);
            },
            &g, i);
    g.run(timed.run(g.gpu.host()));
    ideal.run(expected.run(ideal));
    EXPECT_EQ(timed.wrong_loads(), 0u);
    EXPECT_EQ(timed.contents(g.gpu.memory()), expected.contents(ideal.memory()));
    std::uint64_t failed = 0;
    for (const auto& l : g.gpu.network()->links()) failed += l->statistics().failed_lanes.value();
    EXPECT_GE(failed, 4u);
    g.expect_clean();
}

TEST(gpu_stress, the_same_run_gives_the_same_statistics) {
    const auto rows = [](std::uint64_t seed) {
        std::mt19937_64 draw(seed);
        whole_gpu g(random_gpu(draw));
        random_kernel k(g.gpu.memory(), seed);
        g.run(k.run(g.gpu.host()));
        g.gpu.settle();
        std::ostringstream out;
        g.statistics.write_csv(out, g.sim.events().now());
        return out.str();
    };
    for (std::uint64_t seed = 100; seed < 104; ++seed) EXPECT_EQ(rows(seed), rows(seed));
}

}  // namespace
