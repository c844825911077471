// SPDX-License-Identifier: Apache-2.0
// Queues, events, kernels and copies through the driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/driver/launch_command.h"
#include "host/machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using gpu::cta_run;
using gpu::dim3;
using gpu::host_task;
using gpu::kernel;
using gpu::wave;
using host::testing::busy;
using host::testing::counted;
using host::testing::machine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// ---- kernels

TEST(driver, a_unified_gpu_runs_one_part_of_a_kernel_on_each_member) {
    machine m(4);
    context& c = m.driver.create_context();
    const unsigned all = c.create_unified_gpu({1, 2, 3, 4});
    EXPECT_EQ(all, 5u);
    c.select_gpu(all);
    auto seen = c.allocate<std::uint32_t>(32);
    auto& q = c.create_queue();
    std::vector<std::uint32_t> result(32);
    auto program = [&]() -> host_task {
        co_await q.launch({"count", dim3(8, 4), 32, [=](wave w) -> kernel {
                               co_await w.atomic_add(seen, w.cta(), w.cta_count(), gpu::mask::thread(0));
                           }});
        co_await q.copy_from_device(result, seen);
    };
    m.run(program());
    EXPECT_EQ(result, std::vector<std::uint32_t>(32, 32));
    const auto& parts = static_cast<const launch_command&>(*q.history()[0]).parts();
    ASSERT_EQ(parts.size(), 4u);
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(parts[i].gpu(), i + 1);
        EXPECT_EQ(parts[i].run(), (cta_run{8 * i, 8 * i + 8}));
        EXPECT_EQ(m.gpus.processor(i + 1).dispatcher().ctas_finished(), 8u);
    }
    m.expect_clean();
}

TEST(driver, members_without_workgroups_are_left_alone) {
    machine m(4);
    context& c = m.driver.create_context();
    c.select_gpu(c.create_unified_gpu({4, 2, 1}));
    auto& q = c.create_queue();
    auto program = [&]() -> host_task { co_await q.launch(busy(2, 10)); };
    m.run(program());
    EXPECT_EQ(m.gpus.processor(4).dispatcher().ctas_finished(), 1u);
    EXPECT_EQ(m.gpus.processor(2).dispatcher().ctas_finished(), 1u);
    EXPECT_EQ(m.gpus.processor(1).dispatcher().ctas_finished(), 0u);
    EXPECT_EQ(m.gpus.processor(3).dispatcher().ctas_finished(), 0u);
    m.expect_clean();
}

TEST(driver, a_queue_goes_one_after_the_other_and_queues_side_by_side) {
    machine m(2);
    context& c = m.driver.create_context();
    auto& a = c.create_queue();
    auto& b = c.create_queue();
    c.select_gpu(2);
    auto& other = c.create_queue();
    auto program = [&]() -> host_task {
        for (command_queue* q : {&a, &b, &other})
            for (int i = 0; i < 2; ++i) q->launch(busy(1, 5000));
        co_await m.driver.synchronise();
    };
    const core::sim_time took = m.run(program());
    // Twice command, launch, kernel and answer. Six kernels on three queues take no longer, except for a
    // cycle between the starts of two CTAs of a GPU.
    EXPECT_EQ(took.ps, (2 * (500u + 100 + 5000 + 500) + 1) * 1000);
    for (const command_queue* q : {&a, &b, &other}) EXPECT_GE(q->history()[1]->begun(), q->history()[0]->ended());
    EXPECT_LT(b.history()[0]->begun(), a.history()[0]->ended());
    m.expect_clean();
}

TEST(driver, a_queue_waits_for_another_ones_event) {
    machine m(2);
    context& c = m.driver.create_context();
    auto x = c.allocate<std::uint32_t>(1);
    auto& a = c.create_queue();
    c.select_gpu(2);
    auto& b = c.create_queue();
    std::vector<std::uint32_t> result(1);
    auto program = [&]() -> host_task {
        a.launch(busy(1, 20000));
        const event stored = a.launch({"store", 1, 1, [=](wave w) -> kernel { co_await w.store(x, 0, 5u); }});
        b.wait(stored);
        const event doubled = b.launch({"double", 1, 1, [=](wave w) -> kernel {
                                            const auto v = co_await w.load(x, 0);
                                            co_await w.store(x, 0, v * 2u);
                                        }});
        a.wait(doubled);
        a.copy_from_device(result, x);
        EXPECT_FALSE(stored.done());
        co_await a.record();
        EXPECT_TRUE(stored.done() && doubled.done());
        co_await stored;  // again, long after
    };
    m.run(program());
    EXPECT_EQ(result[0], 10u);
    m.expect_clean();
}

TEST(driver, host_programs_run_side_by_side) {
    machine m(2);
    context& c = m.driver.create_context();
    context& d = m.driver.create_context();
    d.select_gpu(2);
    auto& a = c.create_queue();
    auto& b = d.create_queue();
    const auto program = [](command_queue& q) -> host_task {
        co_await q.launch(busy(1, 5000));
        co_await q.launch(busy(1, 5000));
    };
    m.driver.start(program(a));
    const core::sim_time took = m.run(program(b));
    EXPECT_EQ(took.ps, 2 * 6100u * 1000);
}

// ---- memory

TEST(driver, bytes_come_back_as_they_went_wherever_their_pages_lie) {
    machine m(4);
    context& c = m.driver.create_context();
    c.select_gpu(c.create_unified_gpu({2, 4, 3}));
    const auto sent = counted(5000);  // five pages, not a whole number of lines
    auto x = c.allocate<std::uint32_t>(5000), y = c.allocate<std::uint32_t>(5000);
    auto& q = c.create_queue();
    std::vector<std::uint32_t> there(5000), moved(3333);
    auto program = [&]() -> host_task {
        q.copy_to_device(x, sent);
        q.copy_from_device(there, x);
        q.copy(y.address(7), x.address(1000), 3333 * 4);  // to other GPUs, and not line to line
        q.copy_from_device(moved, y.slice(7, 3333));
        co_await q.synchronise();
    };
    m.run(program());
    EXPECT_EQ(there, sent);
    EXPECT_EQ(moved, std::vector<std::uint32_t>(sent.begin() + 1000, sent.begin() + 4333));
    EXPECT_GT(m.gpus.hardware().network()->moved(), 0u);
    m.expect_clean();
}

TEST(driver, a_kernel_sees_what_was_copied_and_a_copy_what_it_stored) {
    machine m(2);
    context& c = m.driver.create_context();
    c.select_gpu(c.create_unified_gpu({1, 2}));
    auto x = c.allocate<std::uint32_t>(4096);
    auto& q = c.create_queue();
    auto values = counted(4096);
    auto program = [&]() -> host_task {
        for (int round = 0; round < 3; ++round) {  // caches hold what the copies change
            q.copy_to_device(x, values);
            q.launch({"add", 16, 128, [=](wave w) -> kernel {
                          for (auto i : w.share(x.size())) {
                              const auto v = co_await w.load(x, x.size() - 1 - i);
                              co_await w.store(x, x.size() - 1 - i, v + 1u);
                          }
                      }});
            co_await q.copy_from_device(values, x);
        }
    };
    m.run(program());
    for (std::uint32_t i = 0; i < 4096; ++i) ASSERT_EQ(values[i], i + 4);
    m.expect_clean();
}

// One page, copied by one engine; and many pages, at the speed of the link to the host.
TEST(driver, copies_take_the_time_of_the_way_to_the_host) {
    for (const bool to_device : {true, false}) {
        machine m(1);
        context& c = m.driver.create_context();
        const std::uint64_t bytes = 1u << 20;
        auto x = c.allocate<std::uint32_t>(bytes / 4);
        auto& q = c.create_queue();
        std::vector<std::uint32_t> values(bytes / 4);
        auto program = [&]() -> host_task {
            if (to_device)
                co_await q.copy_to_device(x, values);
            else
                co_await q.copy_from_device(values, x);
        };
        const core::sim_time took = m.run(program());
        const core::sim_time pipe = core::bandwidth::from_gb_per_s(25).time_of({bytes}) + core::sim_time::from_ns(500);
        const core::sim_time driver = core::sim_time::from_ns(1000);
        EXPECT_GE(took, pipe + driver);
        EXPECT_LE(took.ps, (pipe + driver).ps * 1.05);
        m.expect_clean();
    }
}

TEST(driver, copies_and_kernels_of_different_queues_overlap) {
    const auto time = [](bool copies, bool kernels) {
        machine m(1);
        context& c = m.driver.create_context();
        auto x = c.allocate<std::uint32_t>(1u << 18);
        auto& a = c.create_queue();
        auto& b = c.create_queue();
        std::vector<std::uint32_t> values(1u << 18);
        auto program = [&]() -> host_task {
            if (copies) a.copy_to_device(x, values);
            if (kernels) b.launch(busy(4, 40000));
            co_await m.driver.synchronise();
        };
        return m.run(program());
    };
    EXPECT_EQ(time(true, true), std::max(time(true, false), time(false, true)));
}

TEST(driver, what_a_process_frees_the_next_one_finds_empty) {
    machine m(1);
    context& c = m.driver.create_context();
    context& d = m.driver.create_context();
    auto& q = c.create_queue();
    auto& r = d.create_queue();
    auto x = c.allocate<std::uint32_t>(1024);
    const auto values = counted(1024);
    auto one = [&]() -> host_task { co_await q.copy_to_device(x, values); };
    m.run(one());
    EXPECT_THROW(r.copy_to_device(x, values), std::out_of_range);
    const auto frame = m.driver.memory().physical(1, x.address());
    c.free(x.address());
    EXPECT_THROW(q.copy_to_device(x, values), std::out_of_range);
    m.sim.run();  // until second levels have written back its lines
    auto y = d.allocate<std::uint32_t>(1024);
    EXPECT_EQ(m.driver.memory().physical(2, y.address()), frame);
    std::vector<std::uint32_t> found(1024, 9);
    auto two = [&]() -> host_task { co_await r.copy_from_device(found, y); };
    m.run(two());
    EXPECT_EQ(found, std::vector<std::uint32_t>(1024, 0));
}

// ---- errors

TEST(driver, refuses_at_once_what_cannot_be) {
    machine m(2);
    context& c = m.driver.create_context();
    EXPECT_THROW(c.select_gpu(3), std::invalid_argument);
    EXPECT_EQ(c.selected_gpu(), 1u);
    EXPECT_THROW(c.create_unified_gpu({}), std::invalid_argument);
    auto& q = c.create_queue();
    auto x = c.allocate<std::uint32_t>(64);
    EXPECT_THAT(
        [&] {
            q.launch(busy(8, 1), cta_run{3, 9});
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("workgroups 3 to 9 of 8")));
    EXPECT_THROW(q.launch({"wide", 1, 65 * 32, [](wave) -> kernel { co_return; }}), std::invalid_argument);
    EXPECT_THROW(q.copy(x.address(0), x.address(10), 44), std::invalid_argument);
    EXPECT_THROW(q.copy_to_device(x, counted(65)), std::out_of_range);
    EXPECT_THROW(c.allocate({65u << 20}), gpu_memory_full);
    EXPECT_TRUE(q.idle());
}

TEST(driver, an_error_goes_to_who_awaits_it_or_to_who_synchronises) {
    machine m(2);
    context& c = m.driver.create_context();
    c.select_gpu(c.create_unified_gpu({1, 2}));
    auto x = c.allocate<std::uint32_t>(4);
    auto& q = c.create_queue();
    const gpu::kernel_launch bad("bad", 2, 32,
                                 gpu::kernel_launch::entry([=](wave w) -> kernel { co_await w.load(x, 4); }));
    std::string heard;
    auto program = [&]() -> host_task {
        try {
            co_await q.launch(bad);
        } catch (const std::out_of_range&) { heard += "awaited "; }
        co_await q.synchronise();
        q.launch(bad);
        const event good = q.launch(busy(1, 1));
        co_await good;  // not its error
        try {
            co_await q.synchronise();
        } catch (const std::out_of_range&) { heard += "synchronised "; }
        co_await q.synchronise();
        auto y = c.allocate<std::uint32_t>(4);
        q.launch(busy(1, 1));
        const event late = q.copy(y.address(), x.address(), 16);
        c.free(y.address());
        try {
            co_await late;
        } catch (const std::out_of_range&) { heard += "freed"; }
    };
    m.run(program());
    EXPECT_EQ(heard, "awaited synchronised freed");
    m.expect_clean();
}

TEST(driver, a_kernel_that_touches_what_is_not_allocated_fails) {
    machine m(1);
    context& c = m.driver.create_context();
    auto& q = c.create_queue();
    const gpu::array<std::uint32_t> nowhere(address_space::first_address + (1u << 20), 32);
    auto program = [&]() -> host_task {
        co_await q.launch({"stray", 1, 32, [=](wave w) -> kernel { co_await w.load(nowhere, 3); }});
    };
    EXPECT_THROW(m.run(program()), gpu::access_fault);
    m.expect_clean();
}

TEST(driver, a_queue_that_waits_for_ever_is_named) {
    machine m(1);
    context& c = m.driver.create_context();
    auto& a = c.create_queue();
    auto& b = c.create_queue();
    auto program = [&]() -> host_task {
        const event never = b.record();
        m.driver.control(core::control_verb::pause);
        a.wait(b.launch(busy(1, 1)));
        co_await never;
        co_await m.driver.synchronise();
    };
    EXPECT_THAT([&] { m.run(program()); }, ThrowsMessage<std::logic_error>(HasSubstr("waits for enable of host")));
}

}  // namespace
