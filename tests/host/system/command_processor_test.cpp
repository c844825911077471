// SPDX-License-Identifier: Apache-2.0
// A command processor acts on a GPU at work: drain, restart, flush, shootdown; and its DMA engine.
#include <map>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using gpu::command_processor;
using gpu::host_task;
using gpu::kernel;
using gpu::wave;
using host::testing::machine;
using ::testing::HasSubstr;

core::callback note(bool& flag) {
    flag = false;
    return {[](void* f, std::uint64_t) { *static_cast<bool*>(f) = true; }, &flag, 0};
}

// Two GPUs that work on each other's pages while bytes are copied.
struct busy_machine {
    machine m{2};
    context& c = m.driver.create_context();
    gpu::array<std::uint32_t> x, y;
    command_queue *q = nullptr, *copies = nullptr;
    std::vector<std::uint32_t> sent = std::vector<std::uint32_t>(20000);

    busy_machine() {
        c.select_gpu(c.create_unified_gpu({1, 2}));
        x = c.allocate<std::uint32_t>(20000);
        y = c.allocate<std::uint32_t>(20000);
        q = &c.create_queue();
        copies = &c.create_queue();
        std::iota(sent.begin(), sent.end(), 0u);
        m.driver.start(program());
    }
    host_task program() {
        copies->copy_to_device(y, sent);
        q->launch({"add", 200, 64, this, &busy_machine::add});
        co_await m.driver.synchronise();
    }
    kernel add(wave w) {
        for (auto i : w.share(x.size())) {
            co_await w.store(x, i, co_await w.load(x, i) + 1);
            co_await w.atomic_add(x, i, 2);
        }
    }
    void finish() {
        m.go_on();
        std::vector<std::uint32_t> xs(20000), ys(20000);
        auto look = [&]() -> host_task {
            q->copy_from_device(xs, x);
            co_await q->copy_from_device(ys, y);
        };
        m.run(look());
        EXPECT_EQ(xs, std::vector<std::uint32_t>(20000, 3));
        EXPECT_EQ(ys, sent);
        m.expect_clean();
    }
};

TEST(command_processor, drained_its_gpu_has_nothing_without_an_answer_and_restarts_where_it_was) {
    for (const std::uint64_t ns : {650u, 800u, 1500u, 3000u}) {
        busy_machine b;
        b.m.sim.run_until(core::sim_time::from_ns(ns));
        command_processor& p = b.m.gpus.processor(1);
        bool drained = false, again = false;
        p.drain(note(drained));
        EXPECT_FALSE(drained);  // never within the call
        b.m.sim.run_to(b.m.sim.events().now() + core::sim_time::from_us(20));
        EXPECT_TRUE(drained);
        for (const auto& u : b.m.gpus.gpu(1).units()) EXPECT_EQ(u->outstanding(), 0u);
        EXPECT_EQ(p.dma().outstanding(), 0u);
        EXPECT_FALSE(b.m.driver.finished());
        const auto stood = b.m.gpus.processor(1).moved();
        b.m.sim.run();
        EXPECT_EQ(b.m.gpus.processor(1).moved(), stood);
        std::vector<core::wait_edge> edges;
        p.report_waits(edges);
        EXPECT_TRUE(std::any_of(edges.begin(), edges.end(), [](const auto& e) {
            return e.waiter == "gpu1" && e.resource == "restart" && e.holder == "gpu1.cp";
        }));
        p.drain(note(again));  // a later drain
        p.restart();
        b.m.sim.run();
        EXPECT_TRUE(again);
        EXPECT_EQ(b.m.gpus.processor(1).moved(), stood);
        p.restart();
        EXPECT_THROW(p.restart(), std::logic_error);
        b.finish();
    }
}

TEST(command_processor, counts_each_of_the_drains_that_end_together) {
    busy_machine b;
    b.m.sim.run_until(core::sim_time::from_ns(800));
    command_processor& p = b.m.gpus.processor(1);
    bool one = false, other = false;
    p.drain(note(one));
    p.drain(note(other));
    b.m.sim.run_to(b.m.sim.events().now() + core::sim_time::from_us(20));
    EXPECT_TRUE(one && other);
    double counted = 0;
    for (const auto& r : b.m.statistics.rows(b.m.sim.events().now()))
        if (r.path == "gpu1.cp.drains") counted += r.value;
    EXPECT_EQ(counted, 2);
    p.restart();
    p.restart();
    b.finish();
}

// A user's pause outlives the restart after a drain, and the user's enable waits for the drain.
TEST(command_processor, a_drain_and_a_pause_do_not_undo_each_other) {
    for (const bool pause_first : {false, true}) {
        busy_machine b;
        b.m.sim.run_until(core::sim_time::from_ns(1500));
        command_processor& p = b.m.gpus.processor(1);
        bool drained = false;
        if (pause_first) p.control(core::control_verb::pause);
        p.drain(note(drained));
        if (!pause_first) p.control(core::control_verb::pause);
        b.m.sim.run();
        EXPECT_TRUE(drained);
        const auto stood = p.moved();
        p.restart();
        b.m.sim.run();
        EXPECT_EQ(p.moved(), stood);
        p.drain(note(drained));
        p.control(core::control_verb::enable);
        b.m.sim.run();
        EXPECT_TRUE(drained);
        EXPECT_EQ(p.moved(), stood);
        p.restart();
        b.finish();
    }
}

TEST(command_processor, flushed_lines_are_in_memory) {
    machine m(1);
    context& c = m.driver.create_context();
    auto x = c.allocate<std::uint32_t>(256), y = c.allocate<std::uint32_t>(256);
    auto& q = c.create_queue();
    auto program = [&]() -> host_task {
        co_await q.launch({"store", 1, 256, [=](wave w) -> kernel {
                               co_await w.store(x, w.global_ids(), 7u);
                               co_await w.store(y, w.global_ids(), 8u);
                           }});
    };
    m.run(program());
    const auto in_memory = [&](gpu::array<std::uint32_t> a) {
        std::vector<std::uint32_t> v(256);
        m.gpus.gpu(1).memory().bytes().read(m.driver.memory().physical(1, a.address()),
                                            reinterpret_cast<std::uint8_t*>(v.data()), 1024);
        return v;
    };
    EXPECT_EQ(in_memory(x), std::vector<std::uint32_t>(256));
    struct page {
        std::uint64_t frame;
    } const one{m.driver.memory().physical(1, x.address())};
    const memory::line_filter lines{[](const void* p, std::uint64_t address) {
                                        return address / 4096 == static_cast<const page*>(p)->frame / 4096;
                                    },
                                    &one};
    bool first = false, second = false;
    m.gpus.processor(1).flush(lines, note(first));
    EXPECT_FALSE(first);
    m.sim.run();
    EXPECT_TRUE(first);
    EXPECT_EQ(in_memory(x), std::vector<std::uint32_t>(256, 7));
    EXPECT_EQ(in_memory(y), std::vector<std::uint32_t>(256));
    m.gpus.processor(1).flush({}, note(first));  // and a second one after it
    m.gpus.processor(1).flush({}, note(second));
    m.sim.run();
    EXPECT_TRUE(first && second);
    EXPECT_EQ(in_memory(y), std::vector<std::uint32_t>(256, 8));
    m.expect_clean();
}

// Acknowledges after a time.
class slow_target final : public gpu::shootdown_target_if {
public:
    slow_target(machine& m, unsigned ns) : machine_(m), ns_(ns) {}
    void shoot_down(const gpu::shootdown& what, core::callback done) override {
        last = what;
        ++asked;
        if (ns_ != 0) machine_.sim.events().after(core::sim_time::from_ns(ns_), done);
    }
    gpu::shootdown last;
    unsigned asked = 0;

private:
    machine& machine_;
    unsigned ns_;
};

TEST(command_processor, a_shootdown_is_done_when_all_have_acknowledged) {
    machine m(1);
    slow_target fast(m, 10), slow(m, 300);
    command_processor& p = m.gpus.processor(1);
    p.add_target(fast);
    p.add_target(slow);
    bool one = false, two = false;
    p.shoot_down({3, 0x1000, 4096}, note(one));
    p.shoot_down({4, 0x2000, 4096}, note(two));
    m.sim.run_until(core::sim_time::from_ns(299));
    EXPECT_FALSE(one);
    EXPECT_EQ(slow.asked, 1u);
    m.sim.run_until(core::sim_time::from_ns(301));
    EXPECT_TRUE(one);
    EXPECT_EQ(slow.last.process, 4u);
    m.sim.run();
    EXPECT_TRUE(two);
    EXPECT_EQ(m.sim.events().now().ps, 600'000u);
    EXPECT_TRUE(p.idle());
}

TEST(command_processor, one_that_never_acknowledges_is_waited_for_by_name) {
    machine m(1);
    slow_target never(m, 0);
    m.gpus.processor(1).add_target(never);
    m.gpus.processor(1).shoot_down({1, 0x1000, 4096}, {});
    EXPECT_EQ(m.watchdog.run(), observe::watchdog::verdict::ran_dry);
    EXPECT_THAT(m.watchdog.wait_chain(), ::testing::Contains(HasSubstr("gpu1.cp waits for acknowledgement")));
}

TEST(command_processor, paused_and_drained_it_goes_on_when_enabled) {
    using core::control_verb;
    for (const control_verb verb : {control_verb::pause, control_verb::drain}) {
        busy_machine b;
        b.m.sim.run_until(core::sim_time::from_ns(1000));
        for (unsigned g : {1u, 2u}) EXPECT_TRUE(b.m.gpus.processor(g).control(verb));
        b.m.sim.run();
        EXPECT_FALSE(b.m.driver.finished());
        for (unsigned g : {1u, 2u}) EXPECT_TRUE(b.m.gpus.processor(g).control(control_verb::enable));
        EXPECT_TRUE(b.m.gpus.processor(1).control(control_verb::invalidate));
        EXPECT_TRUE(b.m.gpus.processor(1).control(control_verb::flush));
        b.finish();
    }
}

TEST(dma_engine, refuses_what_it_has_nothing_for) {
    machine m(1);
    EXPECT_FALSE(m.gpus.processor(1).dma().control(core::control_verb::flush));
    EXPECT_FALSE(m.gpus.processor(1).dma().control(core::control_verb::invalidate));
}

TEST(dma_engine, with_room_for_one_request_it_moves_everything) {
    gpu::multi_gpu_spec s = host::testing::small_gpus(2);
    s.processor.dma.outstanding = 1;
    s.gpu.network.link.queue = 1;
    machine m(s);
    context& c = m.driver.create_context();
    c.select_gpu(c.create_unified_gpu({1, 2}));
    auto x = c.allocate<std::uint8_t>(10000), y = c.allocate<std::uint8_t>(10000);
    auto& q = c.create_queue();
    auto& r = c.create_queue();
    std::vector<std::uint8_t> sent(10000), back(10000), other(10000);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    auto program = [&]() -> host_task {
        q.copy_to_device(x, sent);
        r.wait(q.record());
        q.copy(y.address(4096), x.address(1), 5000);  // both engines read from and write to both GPUs
        r.copy(y.address(), x.address(4097), 4000);
        r.copy_from_device(other, x);
        q.wait(r.record());
        co_await q.copy_from_device(back, y);
    };
    m.run(program());
    EXPECT_EQ(other, sent);
    for (std::size_t i = 0; i < 4000; ++i) ASSERT_EQ(back[i], sent[4097 + i]);
    for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(back[4096 + i], sent[1 + i]);
    std::map<std::string, double> bytes;  // by the last part of the path, of both GPUs
    for (const auto& row : m.statistics.rows(m.sim.events().now()))
        if (row.path.find(".dma.") != std::string::npos) bytes[row.path.substr(row.path.rfind('.') + 1)] += row.value;
    EXPECT_EQ(bytes["from_host"], 10000);
    EXPECT_EQ(bytes["to_host"], 2 * 10000);
    EXPECT_EQ(bytes["within"], 5000 + 4000);
    m.expect_clean();
}

}  // namespace
