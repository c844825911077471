// SPDX-License-Identifier: Apache-2.0
// Kernels made of random accesses leave the same memory on compute units of random shapes as on the ideal machine,
// and every value that they load is the expected one.
#include <random>

#include <gtest/gtest.h>

#include "gpu/kernel/ideal_machine.h"
#include "random_kernel.h"
#include "timed_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::machine_spec;
using gpu::testing::random_kernel;
using gpu::testing::timed_machine;

machine_spec random_machine(std::mt19937_64& draw) {
    const auto between = [&](unsigned a, unsigned b) { return std::uniform_int_distribution<unsigned>(a, b)(draw); };
    machine_spec s;
    s.sockets = between(1, 4);
    s.units = between(1, 3);
    s.unit.wave_width = 32 * between(1, 2);
    s.unit.lanes = 16u << between(0, 2);
    s.unit.wave_slots = between(4, 12);
    s.unit.cta_slots = between(1, 4);
    s.unit.schedulers = between(1, 4);
    s.unit.outstanding = between(1, 20);
    s.unit.line = {32u << between(0, 2)};
    s.dispatcher.order = between(0, 1) == 0 ? cta_order::contiguous : cta_order::round_robin;
    s.dispatcher.launch_cost = {between(0, 50)};
    s.memory.queue = between(1, 8);
    s.memory.least = core::sim_time::from_ns(between(0, 50));
    s.memory.most = s.memory.least + core::sim_time::from_ns(between(0, 300));
    s.memory.seed = between(1, 1000);
    s.pages.page_size = {4096};
    if (between(0, 1) == 0) {
        s.array.units = between(1, 3);
        s.array.buffer = between(1, 16);
        s.array.code = {8 * between(1, 200)};
        s.array.arguments = {between(0, 300)};
    }
    return s;
}

TEST(random_kernels, leave_the_memory_that_the_ideal_machine_leaves) {
    std::uint64_t requests = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 draw(seed);
        const machine_spec s = random_machine(draw);
        timed_machine timed(s);
        ideal_machine ideal({.wave_width = s.unit.wave_width});
        random_kernel on_timed(timed.memory, seed), on_ideal(ideal.memory(), seed);
        timed.run(on_timed.run(timed.host));
        ideal.run(on_ideal.run(ideal));
        ASSERT_EQ(on_timed.wrong_loads(), 0u) << "seed " << seed;
        ASSERT_EQ(on_ideal.wrong_loads(), 0u) << "seed " << seed;
        ASSERT_EQ(on_timed.contents(timed.memory), on_ideal.contents(ideal.memory())) << "seed " << seed;
        ASSERT_TRUE(timed.conserved()) << "seed " << seed;
        requests += timed.target->requests;
    }
    EXPECT_GT(requests, 100'000u);
}

}  // namespace
