// SPDX-License-Identifier: Apache-2.0
// Writes of the host to memory in place, without a copy, while pages move or have copies; and other events in the
// middle of moves and copies: a reset, the end.
#include <array>

#include <gtest/gtest.h>

#include "host/driver/program_runner.h"
#include "migrating_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using core::control_verb;
using core::sim_time;
using gpu::host_task;
using gpu::kernel;
using gpu::wave;

// GPU 2 reads a page of GPU 1; at `when` the host writes into it; then both GPUs read its bytes.
void is_seen_by_all(unified_machine::spec s, sim_time when, unsigned& moves) {
    migrating_machine m(s);
    const auto x = m.array_on(1, 1024);
    const std::vector<std::uint32_t> before(1024, 7), after = counted(1024);
    m.driver.write_in_place(m.c.process(), x.address(), std::as_bytes(std::span(before)));
    auto &one = m.queue_on(1), &two = m.queue_on(2);
    const auto read = [x](std::vector<std::uint32_t>* to) {
        return gpu::kernel_launch{"read", 1, 32, [=](wave w) -> kernel {
                                      for (std::uint32_t i = 0; i < 1024; i += 32) {
                                          const auto v = co_await w.load(x, w.thread_ids() + i);
                                          if (to != nullptr)
                                              for (std::uint32_t thread = 0; thread < 32; ++thread)
                                                  (*to)[i + thread] = v[thread];
                                      }
                                  }};
    };
    auto touch = [&]() -> host_task { co_await two.launch(read(nullptr)); };
    m.driver.start(touch());
    m.sim.run_until(when);
    m.driver.write_in_place(m.c.process(), x.address(), std::as_bytes(std::span(after)));
    m.sim.run();
    std::vector<std::uint32_t> in_place(1024), by_one(1024), by_two(1024);
    m.driver.read_in_place(m.c.process(), x.address(), std::as_writable_bytes(std::span(in_place)));
    EXPECT_EQ(in_place, after);
    auto look = [&]() -> host_task {
        co_await one.launch(read(&by_one));
        co_await two.launch(read(&by_two));
    };
    m.run(look());
    EXPECT_EQ(by_one, after);
    EXPECT_EQ(by_two, after);
    moves += static_cast<unsigned>(m.counts().moved.value() + m.counts().duplicated.value());
    m.expect_clean();
}

TEST(in_place, what_the_host_writes_in_any_step_of_a_move_is_kept) {
    for (const auto policy : {policy_kind::access_count, policy_kind::always})
        for (const bool copies : {false, true}) {
            unsigned moves = 0, times = 0;
            for (std::uint64_t ns = 0; ns < 14'000; ns += 350, ++times) {
                SCOPED_TRACE(fmt::format("{} {} {}", static_cast<int>(policy), copies, ns));
                auto s = migrating(2, policy);
                s.migration.read_duplication = copies;
                is_seen_by_all(s, sim_time::from_ns(ns), moves);
            }
            EXPECT_GE(moves, times);
        }
}

TEST(in_place, what_the_host_has_written_it_reads_at_any_time) {
    for (const bool copies : {false, true})
        for (std::uint64_t ns = 2'000; ns < 9'000; ns += 250) {
            SCOPED_TRACE(fmt::format("{} {}", copies, ns));
            auto s = migrating(2, policy_kind::always);
            s.migration.read_duplication = copies;
            migrating_machine m(s);
            const auto x = m.array_on(1, 1024);
            auto touch = [&]() -> host_task {
                co_await m.queue_on(2).launch(
                    {"touch", 1, 32, [=](wave w) -> kernel { co_await w.load(x, w.thread_ids()); }});
            };
            m.driver.start(touch());
            m.sim.run_to(sim_time::from_ns(ns));
            const std::vector<std::uint32_t> words(1024, 7);
            m.driver.write_in_place(m.c.process(), x.address(), std::as_bytes(std::span(words)));
            std::vector<std::uint32_t> seen(1024);
            for (unsigned i = 0; i < 200; ++i) {
                m.sim.run_to(m.sim.events().now() + sim_time::from_ns(40));
                m.driver.read_in_place(m.c.process(), x.address(), std::as_writable_bytes(std::span(seen)));
                ASSERT_EQ(seen, words) << m.sim.events().now().ps;
            }
            m.sim.run();
            EXPECT_EQ(m.counts().moved.value() + m.counts().duplicated.value(), 1u);
            m.expect_clean();
        }
}

// GPU 1 answers the host's word when it sees it, while GPU 2 requests the page.
TEST(in_place, what_a_gpu_writes_after_the_host_is_kept_in_any_step_of_a_move) {
    unsigned moves = 0;
    for (const bool copies : {false, true})
        for (std::uint64_t ns = 1'500; ns < 9'000; ns += 150) {
            SCOPED_TRACE(fmt::format("{} {}", copies, ns));
            auto s = migrating(2, policy_kind::always);
            s.migration.read_duplication = copies;
            s.migration.message = sim_time::from_ns(2'000);
            migrating_machine m(s);
            const auto x = m.array_on(1, 1024);
            const std::array<std::uint32_t, 1> zero{0}, word{7};
            m.driver.write_in_place(m.c.process(), x.address(), std::as_bytes(std::span(zero)));
            auto answer = [&]() -> host_task {
                co_await m.queue_on(1).launch({"answer", 1, 1, [=](wave w) -> kernel {
                                                   while ((co_await w.load_uncached(x, w.thread_ids()))[0] != 7)
                                                       co_await w.compute(20);
                                                   co_await w.store(x, w.thread_ids(), 8u);
                                               }});
            };
            auto touch = [&]() -> host_task {
                co_await m.queue_on(2).launch({"touch", 1, 1, [=](wave w) -> kernel {
                                                   co_await w.compute(400);
                                                   co_await w.load(x, w.thread_ids() + 512u);
                                               }});
            };
            m.driver.start(answer());
            m.driver.start(touch());
            m.sim.run_until(sim_time::from_ns(ns));
            m.driver.write_in_place(m.c.process(), x.address(), std::as_bytes(std::span(word)));
            m.sim.run();
            EXPECT_TRUE(m.driver.finished());
            std::array<std::uint32_t, 1> left{};
            m.driver.read_in_place(m.c.process(), x.address(), std::as_writable_bytes(std::span(left)));
            EXPECT_EQ(left[0], 8u);
            moves += static_cast<unsigned>(m.counts().moved.value() + m.counts().duplicated.value());
            m.expect_clean();
        }
    EXPECT_GT(moves, 50u);
}

// Queues of a split program wait for each other's copies.
TEST(in_place, a_reset_while_queues_wait_for_each_other_leaves_a_machine_that_works) {
    for (const std::uint64_t ns : {100u, 600u, 1200u, 3000u}) {
        migrating_machine m(migrating(2, policy_kind::always));
        const auto program = [&](program_runner& r, gpu::array<std::uint32_t>& x) -> host_task {
            co_await r.launch({"add", 4, 64, [x](wave w) -> kernel {
                                   for (auto i : w.own(4096)) co_await w.store(x, i, co_await w.load(x, i) + 1u);
                               }});
        };
        program_runner r(m.driver, {execution_model::split, memory_model::discrete, {1, 2}});
        auto x = r.memory().upload(counted(4096));
        r.start(program(r, x));
        m.sim.run_until(sim_time::from_ns(ns));
        m.whole.control(control_verb::reset);
        m.sim.run();
        EXPECT_THROW(m.driver.rethrow(), std::runtime_error);
        EXPECT_TRUE(m.driver.finished());
        program_runner again(m.driver, {execution_model::split, memory_model::discrete, {1, 2}});
        auto y = again.memory().upload(counted(4096));
        again.start(program(again, y));
        m.sim.run();
        EXPECT_TRUE(m.driver.finished());
        auto want = counted(4096);
        for (auto& v : want) ++v;
        EXPECT_EQ(again.memory().read(y), want);
    }
}

TEST(in_place, a_machine_may_end_in_the_middle_of_a_copy) {
    for (const std::uint64_t ns : {100u, 600u, 1000u, 2000u, 5000u}) {
        const std::vector<std::uint32_t> bytes(64 << 10);
        migrating_machine m(migrating(2, policy_kind::always));
        const auto x = m.c.allocate<std::uint32_t>(bytes.size());
        command_queue &q = m.c.create_queue(), &other = m.c.create_queue();
        auto copy = [&]() -> host_task { co_await q.copy_to_device(x, bytes); };
        auto behind = [&]() -> host_task { co_await other.copy_to_device(x, bytes); };
        m.driver.start(copy());
        m.driver.start(behind());
        m.sim.run_until(sim_time::from_ns(ns));
        EXPECT_FALSE(m.driver.finished());
    }
}

}  // namespace
