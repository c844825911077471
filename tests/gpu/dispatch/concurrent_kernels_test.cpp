// SPDX-License-Identifier: Apache-2.0
// Several kernels at a time in one dispatcher, and parts of grids.
#include <gtest/gtest.h>

#include "gpu/timed_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::machine_spec;
using gpu::testing::timed_machine;

machine_spec one_unit(unsigned kernels, unsigned cta_slots = 16) {
    machine_spec s;
    s.sockets = s.units = 1;
    s.unit.cta_slots = cta_slots;
    s.dispatcher.launch_cost = {100};
    s.dispatcher.concurrent = kernels;
    return s;
}

class logged_part final : public grid_part {
public:
    logged_part(const kernel_launch& k, cta_run run, std::vector<std::string>& log) : grid_part(k, run), log_(log) {}
    void end() override { log_.push_back(of().name()); }

private:
    std::vector<std::string>& log_;
};

kernel_launch busy(const char* name, std::uint32_t ctas, unsigned cycles) {
    return {name, ctas, 32, [cycles](wave w) -> kernel { co_await w.compute(cycles); }};
}

TEST(concurrent_kernels, overlap_as_far_as_they_may) {
    for (const unsigned at_a_time : {1u, 2u, 3u}) {
        timed_machine m(one_unit(at_a_time));
        auto program = [&](gpu_system_if& gpu) -> host_task {
            auto a = gpu.launch(busy("a", 1, 1000)), b = gpu.launch(busy("b", 1, 1000)),
                 c = gpu.launch(busy("c", 1, 500));
            co_await a;
            co_await b;
            co_await c;
        };
        const core::sim_time took = m.run(program(m.host));
        const auto& l = m.host.launches();
        const auto from = [&](unsigned i) { return l[i].begun.ps / 1000; };
        const auto to = [&](unsigned i) { return l[i].ended_at.ps / 1000; };
        EXPECT_EQ(from(0), 100u);
        EXPECT_EQ(to(0), 1100u);
        switch (at_a_time) {
        case 1: EXPECT_EQ(took.ps / 1000, 2800u); break;
        case 2:  // c has the slot of a, or of b, whichever ends first
            EXPECT_EQ(from(1), 100u);
            EXPECT_EQ(from(2), 1200u);
            break;
        default: EXPECT_EQ(from(2), 100u); EXPECT_LT(to(2), to(0));
        }
        EXPECT_TRUE(m.conserved());
    }
}

// Without a queue in the GPU, the next one is launched when the host knows of the end of the one before.
TEST(concurrent_kernels, a_queued_one_begins_when_the_one_before_has_ended_in_the_gpu) {
    for (const bool queued : {false, true}) {
        machine_spec s = one_unit(1);
        s.dispatcher.teardown = {200};
        s.dispatcher.queued = queued;
        timed_machine m(s);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            auto a = gpu.launch(busy("a", 1, 1000)), b = gpu.launch(busy("b", 1, 50)), c = gpu.launch(busy("c", 1, 10));
            co_await c;
            co_await a;
            co_await b;
            co_await gpu.launch(busy("d", 1, 10));
        };
        m.run(program(m.host));
        const auto& l = m.host.launches();
        const auto from = [&](unsigned i) { return l[i].begun.ps / 1000; };
        const auto to = [&](unsigned i) { return l[i].ended_at.ps / 1000; };
        EXPECT_EQ(from(0), 100u);
        EXPECT_EQ(to(0), 1300u);
        EXPECT_EQ(from(1), queued ? 1100u : 1400u);
        EXPECT_EQ(to(1), from(1) + 250);
        EXPECT_EQ(from(2), queued ? 1150u : 1750u);
        EXPECT_EQ(from(3), to(2) + 100);  // launched when nothing runs: its whole cost counts
        EXPECT_TRUE(m.conserved());
    }
}

TEST(concurrent_kernels, the_younger_gets_what_the_older_leaves) {
    timed_machine m(one_unit(2, 1));
    std::string order;
    const auto log = [&order](char who) {
        return [&order, who](wave w) -> kernel {
            order += who;
            co_await w.compute(10);
        };
    };
    const kernel_launch::entry a = log('a'), b = log('b');
    auto program = [&](gpu_system_if& gpu) -> host_task {
        auto first = gpu.launch({"a", 3, 32, a}), second = gpu.launch({"b", 2, 32, b});
        co_await first;
        co_await second;
    };
    m.run(program(m.host));
    EXPECT_EQ(order, "aaabb");
    // With room for two, the second unit of room is b's as soon as a has no CTA left to start.
    order.clear();
    timed_machine wide(one_unit(2, 2));
    wide.run(program(wide.host));
    EXPECT_EQ(order, "aaabb");
    EXPECT_LT(wide.host.launches()[1].begun, wide.host.launches()[0].ended_at);
}

// Each CTA of the older one needs three of four slots, so that the younger one's would have room all the time.
TEST(concurrent_kernels, the_younger_begins_no_cta_before_the_older_is_dealt_out) {
    machine_spec s = one_unit(2);
    s.unit.wave_slots = 4;
    timed_machine m(s);
    const kernel_launch large{"a", 4, 3 * 32, [](wave w) -> kernel { co_await w.compute(1000); }};
    auto program = [&](gpu_system_if& gpu) -> host_task {
        auto a = gpu.launch(large), b = gpu.launch(busy("b", 1, 10));
        co_await a;
        co_await b;
    };
    m.run(program(m.host));
    const auto& l = m.host.launches();
    EXPECT_EQ(l[1].begun.ps / 1000, 100u);
    EXPECT_GE(l[1].ended_at.ps / 1000, 100u + 3 * 1000 + 10);
    EXPECT_LT(l[1].ended_at, l[0].ended_at);
    EXPECT_TRUE(m.conserved());
}

TEST(concurrent_kernels, a_part_of_a_grid_runs_its_own_ctas_and_sees_the_whole) {
    for (const cta_order order : {cta_order::contiguous, cta_order::round_robin}) {
        machine_spec s;
        s.dispatcher.order = order;
        timed_machine m(s);
        std::vector<unsigned> ran(12);
        const kernel_launch k("k", dim3(4, 3), 32, kernel_launch::entry([&ran](wave w) -> kernel {
                                  EXPECT_EQ(w.cta_count(), 12u);
                                  ++ran[w.cta()];
                                  co_await w.compute(1);
                              }));
        std::vector<std::string> log;
        logged_part part(k, {3, 8}, log);
        m.dispatcher.submit(part);
        m.sim.run();
        EXPECT_EQ(log.size(), 1u);
        EXPECT_EQ(ran, (std::vector<unsigned>{0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0}));
        EXPECT_TRUE(m.conserved());
    }
}

TEST(concurrent_kernels, what_one_throws_is_not_the_others) {
    timed_machine m(one_unit(2));
    auto x = m.memory.allocate<std::uint32_t>(4);
    auto program = [&](gpu_system_if& gpu) -> host_task {
        auto good = gpu.launch({"good", 2, 32, [=](wave w) -> kernel { co_await w.store(x, w.cta(), 7u); }});
        auto bad = gpu.launch({"bad", 1, 32, [=](wave w) -> kernel { co_await w.load(x, 4); }});
        EXPECT_NO_THROW(co_await good);
        EXPECT_THROW(co_await bad, std::out_of_range);
    };
    m.run(program(m.host));
    EXPECT_EQ(m.memory.read(x, 1), 7u);
}

TEST(concurrent_kernels, all_end_with_an_error_when_the_gpu_is_reset) {
    timed_machine m(one_unit(2));
    std::vector<std::string> log;
    const kernel_launch a = busy("a", 5, 1000), b = busy("b", 5, 1000), c = busy("c", 5, 1000);
    logged_part first(a, {0, 5}, log), second(b, {0, 5}, log), third(c, {0, 5}, log);
    for (logged_part* p : {&first, &second, &third}) m.dispatcher.submit(*p);
    m.sim.run_until(core::sim_time::from_ns(600));
    m.units[0]->control(core::control_verb::reset);
    m.dispatcher.reset(std::make_exception_ptr(std::runtime_error("reset")));
    EXPECT_EQ(log, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(first.error && second.error && third.error);
    EXPECT_TRUE(m.dispatcher.idle());
    m.sim.run();
    EXPECT_EQ(log.size(), 3u);
    logged_part again(a, {0, 5}, log);
    m.dispatcher.submit(again);
    m.sim.run();
    EXPECT_EQ(log.size(), 4u);
    EXPECT_FALSE(again.error);
    EXPECT_TRUE(m.conserved());
}

}  // namespace
