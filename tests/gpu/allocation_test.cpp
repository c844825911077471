// SPDX-License-Identifier: Apache-2.0
// Once traffic has reached its level, wavefronts come and go and requests cross the machine without an allocation.
#include "support/allocation_count.h"
#include "whole_gpu.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;

TEST(allocation, none_in_steady_state) {
    for (const coherence c : {coherence::memory_side, coherence::remote_caching}) {
        gpu_spec s = gpu::testing::small_gpu();
        s.coherence = c;
        gpu::testing::whole_gpu g(s);
        auto x = g.gpu.memory().allocate<std::uint32_t>(8192);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"k", 1000, 128, [=](wave w) -> kernel {
                                     const auto i = w.global_ids() * 3 % 8192;
                                     co_await w.store(x, i, co_await w.load(x, (i + 4096) % 8192) + 1);
                                     co_await w.barrier();
                                     co_await w.atomic_add(x, i, 1);
                                 }});
        };
        g.gpu.host().start(program(g.gpu.host()));
        g.sim.run_until(core::sim_time::from_us(18));
        const auto before = contraflow::test::allocations();
        const auto moved = g.gpu.moved();
        g.sim.run_until(core::sim_time::from_us(25));
        EXPECT_GT(g.gpu.moved(), moved + 2000);
        EXPECT_TRUE(contraflow::test::allocations() == before || !frames_are_reused)
            << contraflow::test::allocations() - before;
        EXPECT_FALSE(g.gpu.host().finished());
        g.sim.run();
        EXPECT_TRUE(g.gpu.host().finished());
    }
}

}  // namespace
