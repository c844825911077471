// SPDX-License-Identifier: Apache-2.0
// A driver that is stopped, started again and reset, and whose runs repeat.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using gpu::host_task;
using gpu::kernel;
using gpu::wave;
using host::testing::busy;
using host::testing::counted;
using host::testing::machine;
using ::testing::HasSubstr;

TEST(driver, paused_it_gives_nothing_more_to_gpus_and_goes_on_when_enabled) {
    machine m(1);
    context& c = m.driver.create_context();
    auto& q = c.create_queue();
    auto program = [&]() -> host_task {
        for (int i = 0; i < 3; ++i) q.launch(busy(1, 1000));
        co_await q.synchronise();
    };
    m.driver.start(program());
    m.sim.run_until(core::sim_time::from_ns(900));
    EXPECT_TRUE(m.driver.control(core::control_verb::drain));
    m.sim.run();
    EXPECT_TRUE(q.history()[0]->done());
    EXPECT_FALSE(q.history()[1]->done());
    EXPECT_TRUE(m.gpus.idle());
    EXPECT_TRUE(m.driver.control(core::control_verb::enable));
    m.go_on();
    EXPECT_FALSE(m.driver.control(core::control_verb::flush));
    EXPECT_FALSE(m.driver.control(core::control_verb::invalidate));
}

TEST(driver, reset_in_mid_work_ends_everything_with_an_error_and_all_works_again) {
    for (const std::uint64_t ns : {200u, 700u, 1500u, 4000u, 6500u}) {
        machine m(2);
        context& c = m.driver.create_context();
        c.select_gpu(c.create_unified_gpu({1, 2}));
        auto x = c.allocate<std::uint32_t>(20000), y = c.allocate<std::uint32_t>(20000);
        auto& q = c.create_queue();
        const auto values = counted(20000);
        unsigned failed = 0;
        auto program = [&](event e) -> host_task {
            try {
                co_await e;
            } catch (const std::runtime_error&) { ++failed; }
        };
        m.driver.start(program(q.copy_to_device(x, values)));
        m.driver.start(program(q.copy(y.address(), x.address(4096), 12000)));
        m.driver.start(program(q.launch({"k", 64, 64, [=](wave w) -> kernel {
                                             for (auto i : w.share(x.size())) co_await w.atomic_add(x, i, 1);
                                         }})));
        m.sim.run_until(core::sim_time::from_ns(ns));
        ASSERT_FALSE(m.driver.finished());
        EXPECT_TRUE(m.driver.control(core::control_verb::reset));
        EXPECT_TRUE(m.gpus.control(core::control_verb::reset));
        EXPECT_EQ(m.gpus.payloads_in_flight(), 0u);
        m.sim.run();
        EXPECT_TRUE(m.driver.finished());
        EXPECT_GE(failed, 1u) << ns;
        m.expect_clean();
        std::vector<std::uint32_t> back(20000);
        auto again = [&]() -> host_task {
            q.copy_to_device(x, values);
            q.copy(y.address(4), x.address(), 4 * 15000);
            co_await q.launch(busy(10, 10));
            co_await q.copy_from_device(back, y);
        };
        m.run(again());
        for (std::uint32_t i = 0; i < 15000; ++i) ASSERT_EQ(back[i + 4], i + 1);
        m.expect_clean();
    }
}

TEST(driver, the_same_programs_give_the_same_statistics) {
    const auto run = [] {
        machine m(3);
        context& c = m.driver.create_context();
        c.select_gpu(c.create_unified_gpu({3, 1}));
        auto x = c.allocate<std::uint32_t>(10000);
        auto& q = c.create_queue();
        c.select_gpu(2);
        auto& r = c.create_queue();
        auto values = counted(10000);
        auto program = [&]() -> host_task {
            r.wait(q.copy_to_device(x, values));
            for (command_queue* each : {&q, &r})
                each->launch({"k", 20, 64, [=](wave w) -> kernel {
                                  for (auto i : w.share(x.size())) co_await w.atomic_add(x, i, 1);
                              }});
            q.wait(r.record());
            co_await q.copy_from_device(values, x);
        };
        m.run(program());
        EXPECT_EQ(values[0], 3u);
        m.expect_clean();
        std::ostringstream out;
        m.statistics.write_csv(out, m.sim.events().now());
        for (const auto& row : m.statistics.rows(m.sim.events().now()))
            EXPECT_FALSE(row.unit.empty() || row.text.empty()) << row.path;
        return out.str();
    };
    const std::string once = run();
    EXPECT_EQ(once, run());
    for (const char* moved : {"driver.kernels,count,kernels,2", "driver.copies,count,copies,2",
                              "driver.copied,count,bytes,80000", "driver.events,count,events,3"})
        EXPECT_THAT(once, HasSubstr(moved));
}

}  // namespace
