// SPDX-License-Identifier: Apache-2.0
// Errors while pages move, events in the middle of a move, and control of the page migrator.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "migrating_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using core::control_verb;
using gpu::host_task;
using gpu::kernel;
using gpu::wave;
using ::testing::Contains;
using ::testing::HasSubstr;

host_task load_line(command_queue& q, gpu::array<std::uint32_t> x) {
    co_await q.launch({"load", 1, 32, [=](wave w) -> kernel { co_await w.load(x, w.thread_ids()); }});
}
// Runs until that page's move is in that step.
bool run_to(migrating_machine& m, step which) {
    for (unsigned i = 0; i < 20'000; ++i) {
        if (m.mover().step_of({m.c.process(), std::uint64_t{1} << 32}) == which) return true;
        m.sim.run_to(m.sim.events().now() + core::sim_time::from_ns(10));
    }
    return false;
}

TEST(migration_faults, without_a_free_frame_at_the_receiver_it_reaches_across) {
    auto s = migrating(2, policy_kind::always);
    s.gpus.gpu.dram.size = {16 * 4096};
    migrating_machine m(s);
    const auto x = m.array_on(1, 1024);
    m.array_on(2, 16 * 1024);  // its whole memory
    m.run(load_line(m.queue_on(2), x));
    EXPECT_EQ(m.counts().no_frame.value(), 1u);
    EXPECT_EQ(m.counts().moved.value(), 0u);
    EXPECT_EQ(m.gpu_of(x.address()), 1u);
    EXPECT_EQ(m.gpus.profile().count(gpu::access_kind::load, true), 1u);
    m.expect_clean();
}

TEST(migration_faults, what_finds_no_room_in_the_queue_reaches_across) {
    auto s = migrating(4, policy_kind::always);
    s.migration.concurrent = 1;
    s.migration.queue = 1;
    migrating_machine m(s);
    writers_everywhere k(m);
    m.run(k.work());
    EXPECT_GT(m.counts().queue_full.value(), 0u);
    EXPECT_EQ(m.counts().under_way.max(), 1.0);
    EXPECT_EQ(m.counts().waiting.max(), 2.0);
    k.expect_results();
}

TEST(migration_faults, a_gpu_that_is_never_drained_is_waited_for_by_name) {
    auto s = migrating(3, policy_kind::always);
    s.migration.granularity = granularity::whole;
    s.migration.when.windows = {{core::sim_time::from_us(5), core::sim_time::never()}};
    migrating_machine m(s);
    const auto x = m.array_on(1, 1024), y = m.array_on(3, 1024);
    m.gpus.gpu(3).memory().control(control_verb::pause);
    auto &two = m.queue_on(2), &one = m.queue_on(1);
    auto stuck = [&]() -> host_task { co_await load_line(one, y); };
    auto wants = [&]() -> host_task {
        co_await two.launch({"later", 1, 32, [=](wave w) -> kernel {
                                 co_await w.compute(6000);
                                 co_await w.load(x, w.thread_ids());
                             }});
    };
    m.driver.start(wants());
    m.driver.start(stuck());
    EXPECT_NE(m.watchdog.run(), observe::watchdog::verdict::finished);
    const auto chain = m.watchdog.wait_chain();
    EXPECT_THAT(chain, Contains(HasSubstr("migration waits for the drain of GPU 1 for page 0x100000000 of process 1 of "
                                          "gpu1.cp")));
    EXPECT_THAT(chain, Contains(HasSubstr("gpu1.cp waits for drain of gpu1.cu")));
    EXPECT_THAT(chain, Contains(HasSubstr("driver waits for a page that moves of migration")));
}

class silent final : public gpu::shootdown_target_if {
    void shoot_down(const gpu::shootdown&, core::callback) override {}
};

TEST(migration_faults, a_gpu_that_never_invalidates_is_waited_for_by_name) {
    migrating_machine m(migrating(3, policy_kind::always));
    silent never;
    m.gpus.processor(3).add_target(never);
    m.driver.start(load_line(m.queue_on(2), m.array_on(1, 1024)));
    EXPECT_NE(m.watchdog.run(), observe::watchdog::verdict::finished);
    const auto chain = m.watchdog.wait_chain();
    EXPECT_THAT(chain, Contains(HasSubstr(
                           "migration waits for all GPUs to invalidate page 0x100000000 of process 1 of shootdown")));
    EXPECT_THAT(chain, Contains(HasSubstr("to be invalidated of gpu3.cp")));
}

TEST(migration_faults, a_memory_that_does_not_answer_a_pull_is_waited_for_by_name) {
    migrating_machine m(migrating(2, policy_kind::always));
    m.driver.start(load_line(m.queue_on(2), m.array_on(1, 1024)));
    ASSERT_TRUE(run_to(m, step::table));
    m.gpus.gpu(1).memory().control(control_verb::pause);
    EXPECT_NE(m.watchdog.run(), observe::watchdog::verdict::finished);
    const auto chain = m.watchdog.wait_chain();
    EXPECT_THAT(chain, Contains(HasSubstr("the pull of GPU 2 for page 0x100000000 of process 1 of gpu2.pmc")));
    EXPECT_THAT(chain, Contains(HasSubstr("gpu2.pmc waits for responses to 32 lines")));
}

// The page must be complete in memory itself, for a reader that bypasses the second level.
TEST(migration_faults, memory_itself_has_the_page_when_the_flush_is_over) {
    migrating_machine m(migrating(2, policy_kind::always));
    const auto x = m.array_on(1, 1024);
    const std::uint64_t frame = m.driver.memory().physical(m.c.process(), x.address());
    const auto in_memory = [&] {
        std::vector<std::uint32_t> v(1024);
        m.gpus.gpu(1).memory().bytes().read(frame, reinterpret_cast<std::uint8_t*>(v.data()), 4096);
        return v;
    };
    auto fill = [&]() -> host_task {
        co_await m.queue_on(1).launch({"fill", 1, 32, [=](wave w) -> kernel {
                                           for (unsigned i = 0; i < 1024; i += 32)
                                               co_await w.store(x, w.thread_ids() + i, w.thread_ids() + (i + 1));
                                       }});
    };
    m.run(fill());
    EXPECT_NE(in_memory(), counted(1024));  // some of it is in the second level only
    m.driver.start(load_line(m.queue_on(2), x));
    ASSERT_TRUE(run_to(m, step::table));
    EXPECT_EQ(in_memory(), counted(1024));
    m.go_on();
    EXPECT_EQ(m.contents(x), counted(1024));
    m.expect_clean();
}

TEST(migration_faults, a_page_that_is_freed_in_the_middle_of_its_move_leaves_no_frame_behind) {
    for (const step when : {step::close, step::shootdown, step::flush, step::table, step::pull, step::reply}) {
        SCOPED_TRACE(migration::step_name(when));
        migrating_machine m(migrating(2, policy_kind::access_count));
        const auto free1 = m.driver.memory().free_pages(1), free2 = m.driver.memory().free_pages(2);
        const auto x = m.array_on(1, 1024);
        auto& q = m.queue_on(2);
        auto program = [&]() -> host_task {
            co_await q.launch({"stores", 1, 32, [=](wave w) -> kernel {
                                   for (unsigned i = 0; i < 8; ++i) co_await w.atomic_add(x, w.thread_ids(), 1);
                               }});
        };
        // The last of them reaches the threshold: nothing uses the page when it moves.
        m.driver.start(program());
        ASSERT_TRUE(run_to(m, when));
        for (const auto& u : m.gpus.gpu(2).units()) ASSERT_TRUE(u->idle());
        m.c.free(x.address());
        m.go_on();
        m.sim.run();
        EXPECT_EQ(m.driver.memory().free_pages(1), free1);
        EXPECT_EQ(m.driver.memory().free_pages(2), free2);
        EXPECT_EQ(m.counts().freed.value(), 1u);
        EXPECT_EQ(m.counts().moved.value(), 0u);
        m.expect_clean();
    }
}

TEST(migration_faults, copies_of_the_host_wait_for_pages_that_move_and_these_for_copies) {
    migrating_machine m(migrating(2, policy_kind::always));
    constexpr std::size_t n = 16 * 1024;
    const auto x = m.array_on(1, n);
    auto &work = m.queue_on(2), &copies = m.queue_on(1);
    std::vector<std::uint32_t> back(n);
    const auto sent = counted(n);
    auto kernels = [&]() -> host_task {
        for (unsigned i = 0; i < 6; ++i)
            co_await work.launch({"read", 8, 32, [=](wave w) -> kernel {
                                      for (auto at : w.share(n)) co_await w.load(x, at);
                                  }});
    };
    auto moves_bytes = [&]() -> host_task {
        for (unsigned i = 0; i < 4; ++i) {
            co_await copies.copy_to_device(x, sent);
            std::fill(back.begin(), back.end(), 0u);
            co_await copies.copy_from_device(back, x);
            EXPECT_EQ(back, sent);
        }
    };
    m.driver.start(kernels());
    m.run(moves_bytes());
    EXPECT_GT(m.counts().claimed.value(), 0u);
    EXPECT_GT(m.counts().moved.value(), 0u);
    EXPECT_EQ(m.contents(x), sent);
    m.expect_clean();
}

// ---- control

// Eight of sixteen pages are always moving, so a copy into all of them would wait for ever without help.
TEST(migration_faults, a_copy_is_not_kept_waiting_by_pages_that_always_move) {
    for (const bool copies : {false, true}) {
        auto s = migrating(2, policy_kind::always);
        s.gpus.translation.l1 = {};
        s.gpus.translation.l2 = {};
        s.iommu.walks = {};
        s.migration.stay = {};
        s.migration.when.ping_pong.moves = 0;
        s.migration.read_duplication = copies;
        migrating_machine m(s);
        static constexpr std::uint32_t n = 16 * 1024;
        const auto x = m.c.allocate<std::uint32_t>(n);
        const std::vector<std::uint32_t> bytes(n, 3);
        command_queue &work = m.c.create_queue(), &other = m.c.create_queue();
        const command *kernel = nullptr, *copy = nullptr;
        auto program = [&]() -> host_task {
            const event k = work.launch({"rounds", 32, 64, [x](gpu::wave w) -> gpu::kernel {
                                             for (std::uint32_t r = 0; r < 10; ++r)
                                                 co_await w.atomic_add(x, (w.global_ids() * 257 + r * 2111) % n, 0);
                                         }});
            other.launch(busy(1, 20'000));
            const event c = other.copy_to_device(x, bytes);
            kernel = &k.of();
            copy = &c.of();
            co_await k;
            co_await c;
        };
        m.run(program());
        EXPECT_LT(copy->ended(), kernel->ended()) << copies;
        EXPECT_GT(m.counts().claimed.value(), 0u);
        EXPECT_EQ(m.contents(x), bytes);
        m.expect_clean();
    }
}

TEST(migration_control, paused_it_begins_no_move_and_drained_it_orders_none) {
    migrating_machine m(migrating(2, policy_kind::always));
    const auto x = m.array_on(1, 1024), y = m.array_on(1, 1024);
    EXPECT_TRUE(m.mover().control(control_verb::pause));
    m.driver.start(load_line(m.queue_on(2), x));
    m.sim.run();
    EXPECT_FALSE(m.driver.finished());
    EXPECT_EQ(m.mover().outstanding(), 1u);
    EXPECT_EQ(m.counts().under_way.max(), 0.0);
    EXPECT_THAT(m.watchdog.wait_chain(), Contains(HasSubstr("migration waits for to be enabled")));
    EXPECT_TRUE(m.mover().control(control_verb::enable));
    m.go_on();
    m.sim.run();
    EXPECT_EQ(m.counts().moved.value(), 1u);
    EXPECT_TRUE(m.mover().control(control_verb::drain));
    m.run(load_line(m.queue_on(2), y));
    EXPECT_EQ(m.counts().moved.value(), 1u);
    EXPECT_EQ(m.gpu_of(y.address()), 1u);
    EXPECT_FALSE(m.mover().control(control_verb::flush));
    EXPECT_FALSE(m.mover().control(control_verb::invalidate));
    m.expect_clean();
}

TEST(migration_control, a_reset_in_any_step_leaves_every_page_where_it_can_be_used) {
    for (const granularity how : {granularity::page, granularity::whole})
        for (std::size_t i = 0; i < migration::step_count; ++i) {
            const auto when = static_cast<step>(i);
            if (when == step::queue || (how == granularity::page && (when == step::drain || when == step::restart)))
                continue;
            SCOPED_TRACE(migration::step_name(when));
            auto s = migrating(2, policy_kind::always);
            s.migration.granularity = how;
            migrating_machine m(s);
            const auto x = m.array_on(1, 1024);
            const auto free1 = m.driver.memory().free_pages(1), free2 = m.driver.memory().free_pages(2);
            const auto sent = counted(1024);
            auto& q = m.queue_on(2);
            auto fill = [&]() -> host_task { co_await m.queue_on(1).copy_to_device(x, sent); };
            m.run(fill());
            m.whole.control(control_verb::flush);  // newer bytes in a cache do not survive a reset
            m.sim.run();
            unsigned heard = 0;
            auto program = [&]() -> host_task {
                try {
                    co_await load_line(q, x);
                } catch (const std::runtime_error&) { ++heard; }
            };
            m.driver.start(program());
            ASSERT_TRUE(run_to(m, when));
            EXPECT_TRUE(m.whole.control(control_verb::reset));
            EXPECT_EQ(m.whole.payloads_in_flight(), 0u);
            m.sim.run();
            EXPECT_EQ(heard, 1u);
            EXPECT_EQ(m.driver.memory().free_pages(1) + m.driver.memory().free_pages(2), free1 + free2);
            m.expect_clean();
            EXPECT_EQ(m.contents(x), sent);
            m.run(load_line(q, x));
            EXPECT_EQ(m.gpu_of(x.address()), 2u);
            EXPECT_EQ(m.contents(x), sent);
            m.expect_clean();
        }
}

// An access counter sends its message with a read; the reset is within the message's 500 ns.
TEST(migration_control, a_message_from_before_a_reset_orders_no_move) {
    auto s = migrating(2, policy_kind::access_count);
    s.gpus.counters.threshold = 1;
    migrating_machine m(s);
    const auto x = m.array_on(1, 1024);
    auto program = [&]() -> host_task {
        try {
            co_await load_line(m.queue_on(2), x);
        } catch (const std::runtime_error&) {}
    };
    m.driver.start(program());
    for (unsigned i = 0; i < 2000 && m.counts().notifications.value() == 0; ++i)
        m.sim.run_to(m.sim.events().now() + core::sim_time::from_ns(10));
    ASSERT_EQ(m.counts().notifications.value(), 1u);
    ASSERT_EQ(m.counts().asked.value(), 0u);
    EXPECT_TRUE(m.whole.control(control_verb::reset));
    m.sim.run();
    EXPECT_EQ(m.counts().asked.value(), 0u);
    EXPECT_EQ(m.gpu_of(x.address()), 1u);
    m.expect_clean();
    m.run(load_line(m.queue_on(2), x));  // the next one's message arrives
    m.sim.run();
    EXPECT_EQ(m.counts().asked.value(), 1u);
    EXPECT_EQ(m.gpu_of(x.address()), 2u);
}

TEST(migration_control, a_reset_in_mid_work_leaks_nothing) {
    for (const std::uint64_t us : {3u, 7u, 12u, 19u}) {
        auto s = migrating(4, policy_kind::always);
        s.migration.read_duplication = us % 2 != 0;
        migrating_machine m(s);
        std::uint64_t free = 0;
        writers_everywhere k(m);
        for (const unsigned g : m.all) free += m.driver.memory().free_pages(g);
        auto program = [&]() -> host_task {
            try {
                co_await k.work();
            } catch (const std::runtime_error&) {}
        };
        m.driver.start(program());
        m.sim.run_until(core::sim_time::from_us(us));
        ASSERT_FALSE(m.driver.finished());
        EXPECT_TRUE(m.whole.control(control_verb::reset));
        m.sim.run();
        for (const unsigned g : m.all) free -= m.driver.memory().free_pages(g);
        EXPECT_EQ(free, 0u);
        m.expect_clean();
        writers_everywhere again(m);
        m.run(again.work());
        again.expect_results();
    }
}

TEST(migration_control, every_statistic_is_described_and_moves) {
    std::map<std::string, bool> moves;
    const auto note = [&](migrating_machine& m) {
        for (const auto& row : m.statistics.rows(m.sim.events().now())) {
            if (!row.path.starts_with("migration.")) continue;
            EXPECT_FALSE(row.unit.empty() || row.text.empty()) << row.path;
            moves[row.path] |= row.value != 0;
        }
    };
    auto s = tight(migrating(4, policy_kind::always));
    s.migration.granularity = granularity::whole;
    s.migration.read_duplication = true;
    s.migration.when.windows = {{core::sim_time::from_us(4), core::sim_time::never()}};
    s.migration.when.ping_pong.moves = 3;
    {
        migrating_machine m(s);
        writers_everywhere k(m);
        m.run(k.work());
        note(m);
    }
    {
        auto few = migrating(2, policy_kind::always);
        few.gpus.gpu.dram.size = {16 * 4096};
        migrating_machine m(few);
        const auto x = m.array_on(1, 1024), y = m.array_on(1, 1024);
        m.array_on(2, 15 * 1024);
        auto& q = m.queue_on(2);
        auto program = [&]() -> host_task {
            for (const auto& a : {x, y}) co_await load_line(q, a);  // the second one finds no frame
        };
        m.run(program());
        note(m);
    }
    for (const auto& [path, does] : moves)
        if (path != "migration.failed" && path != "migration.freed" && path != "migration.claimed") {
            EXPECT_TRUE(does) << path;
        }
    EXPECT_GT(moves.size(), 25u);
}

}  // namespace
