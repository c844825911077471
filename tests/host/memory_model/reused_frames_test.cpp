// SPDX-License-Identifier: Apache-2.0
// Frames that held another allocation's page: a kernel that runs all the time finds no old bytes in its caches when a
// page of its own moves there.
#include <gtest/gtest.h>

#include "host/migration/migrating_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using gpu::host_task;
using gpu::kernel;
using gpu::wave;

// On GPU 2, whose only unit has a first level for everything, one kernel reads `old` while another one runs; `old` is
// freed, and its frame there is the only free one when the other kernel reads `fresh`, whose page moves there.
void a_page_comes_into_a_frame_of(unsigned home_of_old, bool copies, gpu::coherence how) {
    auto s = migrating(2, policy_kind::always);
    s.gpus.gpu.units = 1;
    s.gpus.gpu.coherence = how;
    s.gpus.gpu.l2.remote_ways = 2;
    s.gpus.gpu.l1.size = {64u << 10};
    s.gpus.gpu.dram.size = {16 * 4096};
    s.migration.read_duplication = copies;
    migrating_machine m(s);
    const auto old = m.array_on(home_of_old, 1024), fresh = m.array_on(1, 1024);
    const auto hog = m.array_on(2, 15 * 1024);
    ASSERT_EQ(m.driver.memory().free_pages(2), home_of_old == 2 ? 0u : 1u);
    const std::vector<std::uint32_t> before(1024, 111), after(1024, 222);
    auto &q = m.queue_on(2), &other = m.queue_on(2), &host = m.queue_on(1);
    std::uint32_t wrong = 0;
    auto late = [&]() -> host_task {
        co_await q.launch({"late", 1, 32, [&wrong, fresh](wave w) -> kernel {
                               co_await w.compute(40'000);
                               for (unsigned i = 0; i < 1024; i += 32) {
                                   const auto got = co_await w.load(fresh, w.thread_ids() + i);
                                   wrong += (got != 222u).count();
                               }
                           }});
    };
    auto early = [&]() -> host_task {
        co_await host.copy_to_device(old, before);
        co_await host.copy_to_device(fresh, after);
        m.driver.start(late());
        co_await other.launch({"pause", 1, 32, [](wave w) -> kernel { co_await w.compute(4000); }});
        co_await other.launch({"early", 1, 32, [old](wave w) -> kernel {
                                   for (unsigned i = 0; i < 1024; i += 32) co_await w.load(old, w.thread_ids() + i);
                               }});
        m.c.free(old.address());
    };
    m.run(early());
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(m.counts().moved.value() + m.counts().duplicated.value(), home_of_old == 2 ? 1u : 2u);
    EXPECT_EQ(m.counts().no_frame.value(), 0u);
    m.c.free(hog.address());
    m.sim.run();
    m.expect_clean();
}

TEST(reused_frames, of_a_page_that_was_freed) {
    for (const auto how : {gpu::coherence::memory_side, gpu::coherence::remote_caching})
        a_page_comes_into_a_frame_of(2, false, how);
}
TEST(reused_frames, of_a_copy_that_was_freed_with_its_page) {
    for (const auto how : {gpu::coherence::memory_side, gpu::coherence::remote_caching})
        a_page_comes_into_a_frame_of(1, true, how);
}
TEST(reused_frames, of_a_page_that_came_and_was_freed) {
    a_page_comes_into_a_frame_of(1, false, gpu::coherence::memory_side);
}

}  // namespace
