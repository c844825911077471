// SPDX-License-Identifier: Apache-2.0
// Copies and kernels of several GPUs go on without an allocation.
#include "gpu/frame_pool.h"
#include "machine.h"
#include "support/allocation_count.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;

TEST(allocation, none_in_steady_state) {
    host::testing::machine m(2);
    context& c = m.driver.create_context();
    c.select_gpu(c.create_unified_gpu({1, 2}));
    auto x = c.allocate<std::uint32_t>(8192), y = c.allocate<std::uint32_t>(1u << 18),
         z = c.allocate<std::uint32_t>(1u << 18);
    auto& kernels = c.create_queue();
    auto& copies = c.create_queue();
    auto& moves = c.create_queue();
    const std::vector<std::uint32_t> values(1u << 17);
    auto program = [&]() -> gpu::host_task {
        copies.copy_to_device(y.slice(0, 1u << 17), values);
        moves.copy(z.address(), y.address(1u << 17), 4u << 17);
        kernels.launch({"k", 4000, 128, [=](gpu::wave w) -> gpu::kernel {
                            const auto i = w.global_ids() * 3 % 8192;
                            co_await w.store(x, i, co_await w.load(x, (i + 4096) % 8192) + 1);
                            co_await w.barrier();
                            co_await w.atomic_add(x, i, 1);
                        }});
        co_await m.driver.synchronise();
    };
    // Memory takes room on the host when it is written first.
    const std::vector<std::uint32_t> all(1u << 18);
    auto touch = [&]() -> gpu::host_task {
        copies.copy_to_device(y, all);
        co_await copies.copy_to_device(z, all);
    };
    m.run(touch());
    const core::sim_time begun = m.sim.events().now();
    m.driver.start(program());
    m.sim.run_until(begun + core::sim_time::from_us(9));
    const auto before = contraflow::test::allocations();
    const auto moved = m.gpus.moved();
    const auto copied = m.gpus.processor(1).dma().moved();
    m.sim.run_until(begun + core::sim_time::from_us(12));
    EXPECT_GT(m.gpus.moved(), moved + 2000);
    EXPECT_GT(m.gpus.processor(1).dma().moved(), copied + 10'000);
    EXPECT_TRUE(contraflow::test::allocations() == before || !gpu::frames_are_reused)
        << contraflow::test::allocations() - before;
    m.go_on();
    m.expect_clean();
}

}  // namespace
