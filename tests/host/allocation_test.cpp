// SPDX-License-Identifier: Apache-2.0
// Copies and kernels of several GPUs go on without an allocation, translation and shootdowns included.
#include "gpu/kernel/frame_pool.h"
#include "machine.h"
#include "support/allocation_count.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;

void expect_none_in_steady_state(const unified_machine::spec& s) {
    host::testing::machine m(s);
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
    // Memory takes room on the host when it is first written.
    const std::vector<std::uint32_t> all(1u << 18);
    auto touch = [&]() -> gpu::host_task {
        copies.copy_to_device(y, all);
        co_await copies.copy_to_device(z, all);
    };
    m.run(touch());
    const bool timed = m.whole.shootdowns() != nullptr;
    m.run(program());  // queues and pools reach their full length only later
    const core::sim_time begun = m.sim.events().now();
    m.driver.start(program());
    m.sim.run_until(begun + core::sim_time::from_us(9));
    const auto shoot_down = [&] { m.whole.shootdowns()->shoot_down({c.process(), x.address(), 4096}, {}); };
    for (int i = 0; i < 3 && timed; ++i) {  // allocates the room that later rounds use
        shoot_down();
        m.sim.run_until(m.sim.events().now() + core::sim_time::from_us(1));
    }
    const core::sim_time measured = m.sim.events().now();
    const auto before = contraflow::test::allocations();
    const auto moved = m.gpus.moved();
    const auto copied = m.gpus.processor(1).dma().moved();
    if (timed) shoot_down();
    m.sim.run_until(measured + core::sim_time::from_us(3));
    EXPECT_GT(m.gpus.moved(), moved + (timed ? 500 : 2000));
    EXPECT_GT(m.gpus.processor(1).dma().moved(), copied + 10'000);
    EXPECT_TRUE(contraflow::test::allocations() == before || !gpu::frames_are_reused)
        << contraflow::test::allocations() - before;
    m.go_on();
    m.expect_clean();
}

TEST(allocation, none_in_steady_state) {
    expect_none_in_steady_state(host::testing::untranslated(host::testing::small_gpus(2)));
}

TEST(allocation, none_in_steady_state_with_timed_translation) {
    for (const bool own_walkers : {false, true})
        expect_none_in_steady_state(host::testing::translated(host::testing::small_gpus(2), own_walkers));
}

}  // namespace
