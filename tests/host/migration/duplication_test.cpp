// SPDX-License-Identifier: Apache-2.0
// Pages that several GPUs read: each GPU has a copy, and only one remains after a write.
#include <gtest/gtest.h>

#include "migrating_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using gpu::access_kind;
using gpu::host_task;
using gpu::kernel;
using gpu::wave;

unified_machine::spec copying(unsigned gpus, bool copies = true) {
    auto s = migrating(gpus, policy_kind::always);
    s.migration.read_duplication = copies;
    return s;
}

// Runs on every selected GPU: reads each element that many times; the sum of each wavefront goes to `seen`.
struct reader {
    gpu::array<std::uint32_t> x;
    unsigned times = 1;
    std::vector<std::uint32_t> seen = std::vector<std::uint32_t>(4);
    kernel read(wave w) {
        std::uint32_t sum = 0;
        for (unsigned t = 0; t < times; ++t)
            for (std::uint32_t i = 0; i < x.size(); i += 32) {
                const auto got = co_await w.load(x, w.thread_ids() + i);
                if (t + 1 == times) sum += got[0];
            }
        seen[w.cta()] = sum;
    }
    host_task run(command_queue& q) { co_await q.launch({"read", 4, 32, this, &reader::read}); }
};

std::uint64_t free_pages(migrating_machine& m) {
    std::uint64_t sum = 0;
    for (const unsigned g : m.all) sum += m.driver.memory().free_pages(g);
    return sum;
}

TEST(duplication, every_reader_has_a_copy_and_a_write_leaves_the_writers) {
    migrating_machine m(copying(4));
    const auto x = m.array_on(1, 1024);
    const auto values = counted(1024);
    auto& q = m.c.create_queue();
    auto fill = [&]() -> host_task { co_await q.copy_to_device(x, values); };
    m.run(fill());
    const auto free = free_pages(m);
    reader r{x, 3};
    m.run(r.run(q));
    EXPECT_EQ(m.counts().duplicated.value(), 3u);
    EXPECT_EQ(m.counts().moved.value(), 0u);
    EXPECT_EQ(free_pages(m), free - 3);
    EXPECT_EQ(m.whole.table()->find(m.c.process(), x.address())->rights, memory::access_rights::read);
    EXPECT_EQ(m.gpus.profile().count(access_kind::load, true), 0u);
    EXPECT_EQ(r.seen, std::vector<std::uint32_t>(4, r.seen[0]));
    auto store = [&]() -> host_task {
        co_await m.queue_on(3).launch(
            {"store", 1, 32, [=](wave w) -> kernel { co_await w.store(x, w.thread_ids(), 1000u); }});
    };
    m.run(store());
    EXPECT_EQ(m.counts().collapsed.value(), 1u);
    EXPECT_EQ(m.gpu_of(x.address()), 3u);
    EXPECT_EQ(free_pages(m), free);
    EXPECT_EQ(m.gpus.profile().count(access_kind::store, true), 0u);
    reader again{x};
    m.run(again.run(q));
    EXPECT_EQ(again.seen, std::vector<std::uint32_t>(4, r.seen[0] + 999));  // threads 0 see one changed word
    m.expect_clean();
}

TEST(duplication, a_writer_without_a_copy_leaves_the_home) {
    migrating_machine m(copying(3));
    const auto x = m.array_on(1, 1024);
    auto& q = m.queue_on(2);
    reader r{x};
    auto reads = [&]() -> host_task {
        co_await q.launch({"read", 1, 32, &r, &reader::read});
        co_await m.queue_on(3).launch(
            {"add", 1, 32, [=](wave w) -> kernel { co_await w.atomic_add(x, w.thread_ids(), 5); }});
    };
    m.run(reads());
    EXPECT_EQ(m.counts().duplicated.value(), 1u);
    EXPECT_EQ(m.counts().collapsed.value(), 1u);
    EXPECT_EQ(m.contents(x)[31], 5u);
    m.expect_clean();
}

TEST(duplication, what_the_host_copies_in_is_seen_by_all) {
    migrating_machine m(copying(4));
    const auto x = m.array_on(2, 2048);
    auto& q = m.c.create_queue();
    for (std::uint32_t round = 1; round < 4; ++round) {
        const std::vector<std::uint32_t> values(2048, round);
        auto fill = [&]() -> host_task { co_await q.copy_to_device(x, values); };
        m.run(fill());
        reader r{x};
        m.run(r.run(q));
        EXPECT_EQ(r.seen, std::vector<std::uint32_t>(4, 64 * round));
        EXPECT_EQ(m.contents(x), values);
    }
    EXPECT_EQ(m.counts().duplicated.value(), 3u * 2 * 3);
    EXPECT_EQ(m.counts().collapsed.value(), 2u * 2);
    m.expect_clean();
}

TEST(duplication, freed_with_its_copies_a_page_leaves_nothing) {
    migrating_machine m(copying(4));
    const auto free = free_pages(m);
    const auto x = m.array_on(2, 4096);
    auto& q = m.c.create_queue();
    reader r{x};
    m.run(r.run(q));
    EXPECT_EQ(free_pages(m), free - 16);
    m.c.free(x.address());
    m.sim.run();
    EXPECT_EQ(free_pages(m), free);
    m.expect_clean();
}

TEST(duplication, of_what_is_only_read_is_faster_than_moving_it_or_reaching_across) {
    const auto took = [](const unified_machine::spec& s) {
        machine m(s);
        context& c = m.driver.create_context();
        const auto x = c.allocate<std::uint32_t>(4096);
        c.select_gpu(c.create_unified_gpu({1, 2, 3, 4}));
        reader r{x, 40};
        const core::sim_time t = m.run(r.run(c.create_queue()));
        m.expect_clean();
        return t;
    };
    const core::sim_time copied = took(copying(4)), moved = took(copying(4, false)),
                         across = took(migrating(4, policy_kind::never));
    RecordProperty("copied_ns", std::to_string(copied.ps / 1000));
    RecordProperty("moved_ns", std::to_string(moved.ps / 1000));
    RecordProperty("across_ns", std::to_string(across.ps / 1000));
    EXPECT_LT(copied, moved);
    EXPECT_LT(copied, across);
}

}  // namespace
