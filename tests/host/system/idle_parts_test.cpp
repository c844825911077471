// SPDX-License-Identifier: Apache-2.0
// Idle parts cost no callbacks, however many there are.
#include <gtest/gtest.h>

#include "host/machine.h"

namespace contraflow::host::testing {
namespace {

// Callbacks of a kernel on GPU 1 of a machine.
std::uint64_t callbacks(unsigned gpus, unsigned units) {
    unified_machine::spec s = translated(small_gpus(gpus));
    s.gpus.gpu.units = units;
    s.migration.when.policy = migration::policy_kind::always;
    machine m(s);
    context& c = m.driver.create_context();
    c.select_gpu(1);
    const auto x = c.allocate<std::uint32_t>(4096);
    command_queue& queue = c.create_queue();
    auto program = [&]() -> gpu::host_task {
        co_await queue.launch({"count", 2, 64, [=](gpu::wave w) -> gpu::kernel {
                                   for (auto i : w.own(4096)) co_await w.store(x, i, co_await w.load(x, i) + 1u);
                               }});
    };
    m.run(program());
    return m.sim.events().executed();
}

// Two CTAs, which run on two units. A launch resets the lanes of every GPU's link.
TEST(idle_parts, of_large_machines_schedule_nothing) {
    const std::uint64_t of_two = callbacks(2, 2), of_eight = callbacks(8, 2);
    EXPECT_GT(of_two, 1000u);
    EXPECT_EQ(of_eight, of_two + 6);
    EXPECT_EQ(callbacks(8, 64), of_eight);
}

}  // namespace
}  // namespace contraflow::host::testing
