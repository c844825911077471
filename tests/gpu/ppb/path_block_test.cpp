// SPDX-License-Identifier: Apache-2.0
// A PCIe path block: what it may keep stale, what it may reorder, what a write to its control register ends, and that
// every byte arrives.
#include <gmock/gmock.h>

#include <algorithm>

#include "ppb_node.h"

using namespace contraflow;
using namespace contraflow::gpu;
using core::sim_time;
using gpu::testing::noise;
using gpu::testing::ppb_node;
using gpu::testing::requester;
using gpu::testing::small_ppb;
using ::testing::HasSubstr;

namespace {

void write_word(ppb_node& n, std::uint64_t offset, std::uint64_t value, unsigned nic = 0) {
    n.nic(nic).write(n.bus(offset), value);
}

// ---- the read cache

TEST(path_block, a_line_that_was_read_stays_as_it_was_until_it_is_invalidated) {
    ppb_node n(small_ppb());
    n.store(64, 1);
    EXPECT_EQ(n.read(64), 1u);
    n.store(64, 2);
    n.store(72, 3);  // in the same line
    EXPECT_EQ(n.read(64), 1u);
    EXPECT_EQ(n.read(72), 0u);
    n.store(128, 4);  // another line
    EXPECT_EQ(n.read(128), 4u);
    n.fence();
    EXPECT_EQ(n.read(64), 2u);
    EXPECT_EQ(n.read(72), 3u);
    EXPECT_EQ(n.ppb().statistics().flushes.value(), 1u);
    n.sim.run();
    n.expect_clean();
}

TEST(path_block, reads_and_writes_are_counted_with_their_bytes) {
    ppb_node n(small_ppb());
    for (unsigned i = 0; i < 3; ++i) n.read(64 * i);
    n.nic(0).read(n.bus(8), 40);
    n.sim.run();
    write_word(n, 64, 7);
    write_word(n, 72, 8);  // into the line of the one before
    write_word(n, 72, 9);  // over it
    n.fence();
    n.sim.run();
    const auto& s = n.ppb().statistics();
    EXPECT_EQ(s.reads.value(), 4u);
    EXPECT_EQ(s.read_bytes.value(), 3u * 8 + 40);
    EXPECT_EQ(s.writes.value(), 3u);
    EXPECT_EQ(s.written_bytes.value(), 24u);
    EXPECT_EQ(s.joined.value(), 2u);
    EXPECT_EQ(s.overwritten_bytes.value(), 8u);
    EXPECT_EQ(s.drained_bytes.value(), 16u);
    EXPECT_EQ(s.flushed.value(), 1u);
    n.expect_clean();
}

TEST(path_block, a_line_that_had_to_go_is_read_from_memory_again) {
    ppb_spec s = small_ppb();
    s.read_cache = {64};  // one line
    s.ways = 1;
    ppb_node n(s);
    n.store(0, 1);
    EXPECT_EQ(n.read(0), 1u);
    n.store(0, 2);
    EXPECT_EQ(n.read(0), 1u);
    EXPECT_EQ(n.read(64), 0u);
    EXPECT_EQ(n.read(0), 2u);
    n.sim.run();
    n.expect_clean();
}

// ---- the write combiner

TEST(path_block, a_write_stays_in_the_combiner_unseen_by_memory_and_by_reads_until_it_is_flushed) {
    ppb_node n(small_ppb());
    write_word(n, 64, 7);
    n.run_for(sim_time::from_us(50));
    EXPECT_EQ(n.load(64), 0u);
    EXPECT_EQ(n.read(64), 0u);
    EXPECT_EQ(n.ppb().combiner().used(), 1u);
    n.fence();
    n.run_for(sim_time::from_us(2));
    EXPECT_EQ(n.load(64), 7u);
    EXPECT_EQ(n.read(64), 7u);
    n.sim.run();
    n.expect_clean();
}

TEST(path_block, a_write_that_has_reached_memory_makes_its_line_leave_the_read_cache) {
    ppb_spec s = small_ppb();
    s.drain_after = sim_time::from_us(2);
    ppb_node n(s);
    EXPECT_EQ(n.read(64), 0u);
    EXPECT_EQ(n.read(128), 0u);
    n.store(72, 9);
    n.store(128, 9);
    write_word(n, 64, 7);
    n.run_for(sim_time::from_us(1));
    EXPECT_EQ(n.read(64), 0u);
    EXPECT_EQ(n.read(72), 0u);
    n.run_for(sim_time::from_us(3));
    EXPECT_EQ(n.read(64), 7u);
    EXPECT_EQ(n.read(72), 9u);
    EXPECT_EQ(n.read(128), 0u);  // only that line
    n.sim.run();
    n.expect_clean();
}

TEST(path_block, an_entry_leaves_after_its_time_and_not_before) {
    ppb_spec s = small_ppb();
    s.drain_after = sim_time::from_us(1);
    ppb_node n(s);
    write_word(n, 64, 7);
    while (n.ppb().combiner().empty()) n.run_for(sim_time::from_ns(1));
    const sim_time arrived = n.ppb().combiner().at(0).since;
    write_word(n, 72, 8);  // joins, and does not prolong its time
    n.sim.run_to(arrived + sim_time::from_ns(999));
    EXPECT_EQ(n.load(64), 0u);
    n.sim.run_to(arrived + sim_time::from_us(1) + sim_time{1});
    EXPECT_EQ(n.load(64), 7u);
    EXPECT_EQ(n.load(72), 8u);
    EXPECT_EQ(n.ppb().statistics().timeouts.value(), 1u);
    EXPECT_EQ(n.ppb().statistics().joined.value(), 1u);
    n.sim.run();
    n.expect_clean();
}

TEST(path_block, writes_to_different_lines_may_reach_memory_in_any_order_and_a_flush_between_them_ends_that) {
    for (const bool fenced : {false, true}) {
        unsigned first_before = 0, second_before = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            ppb_spec s = small_ppb();
            s.order = drain_order::random;
            s.drain_after = sim_time::from_us(1);
            s.seed = seed;
            ppb_node n(s);
            write_word(n, 64, 1);
            if (fenced) n.fence();
            write_word(n, 4096, 2);
            bool decided = false;
            for (unsigned i = 0; i < 400 && !decided; ++i) {
                n.run_for(sim_time::from_ns(10));
                const bool first = n.load(64) != 0, second = n.load(4096) != 0;
                decided = first != second;
                if (decided) ++(first ? first_before : second_before);
            }
            n.sim.run();
            EXPECT_EQ(n.load(64), 1u);
            EXPECT_EQ(n.load(4096), 2u);
            n.expect_clean();
        }
        EXPECT_GT(first_before, 5u);
        if (fenced)
            EXPECT_EQ(second_before, 0u);
        else
            EXPECT_GT(second_before, 5u);
    }
}

TEST(path_block, writes_to_the_same_bytes_keep_their_order_whatever_the_combiner_holds) {
    for (const unsigned entries : {1u, 2u, 4u}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            ppb_spec s = small_ppb();
            s.order = drain_order::random;
            s.drain_after = sim_time::from_ns(50);
            s.combiner = entries;
            s.writes = 1 + seed % 3;
            s.seed = seed;
            ppb_node n(s);
            std::uint64_t seen = 0;
            for (std::uint64_t i = 1; i <= 200; ++i) {
                write_word(n, 64, i);
                write_word(n, 128 * (i % 7 + 1), i);
                n.run_for(sim_time::from_ns(seed * 7 % 30));
                const std::uint64_t now = n.load(64);
                EXPECT_GE(now, seen);
                seen = now;
            }
            n.sim.run();
            EXPECT_EQ(n.load(64), 200u);
            n.expect_clean();
        }
    }
}

// Sweeps the arrival of a read over the time in which a write is under way.
TEST(path_block, a_read_that_comes_after_a_write_has_reached_memory_does_not_give_what_was_before) {
    unsigned old = 0, fresh = 0, under_way = 0;
    for (unsigned ns = 0; ns < 600; ns += 10) {
        ppb_spec s = small_ppb();
        s.drain_after = sim_time::from_ns(200);
        ppb_node n(s);
        EXPECT_EQ(n.read(64), 0u);  // the line is in the read cache
        write_word(n, 64, 7);
        n.run_for(sim_time::from_ns(ns));
        auto& job = static_cast<requester::job&>(n.nic().read(n.bus(64), 8));
        sim_time arrived{}, changed{};
        while (job.finished == sim_time{}) {
            n.run_for(sim_time::from_ns(1));
            const sim_time now = n.sim.events().now();
            if (arrived == sim_time{} && n.ppb().statistics().reads.value() == 2) {
                arrived = now;
                under_way += n.ppb().statistics().writing.last() != 0;
            }
            if (changed == sim_time{} && n.load(64) == 7) changed = now;
        }
        const bool is_old = core::load_le<std::uint64_t>(job.bytes.data()) == 0;
        ++(is_old ? old : fresh);
        EXPECT_TRUE(!is_old || changed == sim_time{} || arrived <= changed) << ns;
        n.sim.run();
        n.expect_clean();
    }
    EXPECT_GT(old, 5u);
    EXPECT_GT(fresh, 5u);
    EXPECT_GT(under_way, 3u);
}

TEST(path_block, only_one_write_of_a_line_is_under_way) {
    ppb_spec s = small_ppb();
    s.drain_after = {};
    ppb_node n(s);
    for (std::uint64_t i = 1; i <= 50; ++i) write_word(n, 64 + 8 * (i % 3), i);
    n.sim.run();
    EXPECT_EQ(n.ppb().statistics().writing.max(), 1);
    for (std::uint64_t i = 1; i <= 50; ++i) write_word(n, 64 * i, i);
    n.sim.run();
    EXPECT_GT(n.ppb().statistics().writing.max(), 1);
    n.expect_clean();
}

TEST(path_block, what_is_written_behind_the_control_register_waits_until_the_flush_has_ended) {
    ppb_spec s = small_ppb();
    s.order = drain_order::random;
    s.drain_after = sim_time::from_ns(1);  // the flag would leave at once
    s.combiner = 16;
    ppb_node n(s);
    for (std::uint64_t round = 1; round <= 20; ++round) {
        for (unsigned i = 0; i < 12; ++i) write_word(n, 1024 + 256 * i, round);
        n.fence();
        write_word(n, 64, round);
        for (bool there = false; !there;) {
            n.run_for(sim_time::from_ns(5));
            there = n.load(64) == round;
            for (unsigned i = 0; there && i < 12; ++i) EXPECT_EQ(n.load(1024 + 256 * i), round);
        }
    }
    n.sim.run();
    EXPECT_EQ(n.ppb().statistics().flushes.value(), 20u);
    n.expect_clean();
}

TEST(path_block, a_read_behind_the_control_register_waits_too) {
    ppb_node n(small_ppb());
    EXPECT_EQ(n.read(64), 0u);
    write_word(n, 64, 5);
    n.fence();
    EXPECT_EQ(n.read(64), 5u);
    n.sim.run();
    n.expect_clean();
}

TEST(path_block, a_thread_s_flush_ends_when_all_that_came_before_is_in_memory) {
    ppb_node n(small_ppb());
    for (unsigned i = 0; i < 4; ++i) write_word(n, 256 * i, i + 1);
    n.run_for(sim_time::from_us(2));
    ASSERT_EQ(n.ppb().combiner().used(), 4u);
    struct flushed {
        ppb_node& node;
        unsigned ended = 0, there = 0;
        void end() {
            ++ended;
            for (unsigned i = 0; i < 4; ++i) there += node.load(256 * i) == i + 1;
        }
    } f{n};
    ASSERT_TRUE(n.ppb().write_control(0, ppb_invalidate_and_flush, core::callback::to<&flushed::end>(f)));
    ASSERT_TRUE(n.ppb().write_control(0, ppb_invalidate_and_flush, core::callback::to<&flushed::end>(f)));
    EXPECT_FALSE(n.ppb().write_control(0, 1, core::callback::to<&flushed::end>(f)));
    EXPECT_FALSE(n.ppb().write_control(8, ppb_invalidate_and_flush, core::callback::to<&flushed::end>(f)));
    EXPECT_EQ(f.ended, 0u);
    n.sim.run();
    EXPECT_EQ(f.ended, 2u);
    EXPECT_EQ(f.there, 8u);
    n.expect_clean();
}

// ---- bytes

TEST(path_block, every_length_and_place_is_written_and_read_byte_by_byte) {
    for (const unsigned entries : {1u, 3u}) {
        ppb_spec s = small_ppb();
        s.combiner = entries;
        ppb_node n(s);
        std::vector<std::uint8_t> model(8192);
        std::uint64_t seed = 0;
        for (const std::uint64_t length : {1u, 2u, 3u, 4u, 5u, 8u, 63u, 64u, 65u, 128u, 300u, 2000u, 4096u})
            for (const std::uint64_t at : {0u, 1u, 2u, 3u, 60u, 63u, 127u, 1000u, 4095u}) {
                const auto bytes = noise(length, ++seed);
                std::ranges::copy(bytes, model.begin() + static_cast<long>(at));
                n.nic().write(n.bus(at), bytes);
                n.fence();
                auto& o = static_cast<requester::job&>(n.nic().read(n.bus(at), length));
                n.sim.run();
                EXPECT_EQ(o.bytes, bytes) << length << " at " << at;
            }
        std::vector<std::uint8_t> memory(model.size());
        n.gpu->dram.bytes().read(0, memory.data(), memory.size());
        EXPECT_EQ(memory, model);
        EXPECT_EQ(n.ppb().statistics().written_bytes.value(),
                  n.ppb().statistics().drained_bytes.value() + n.ppb().statistics().overwritten_bytes.value());
        n.expect_clean();
    }
}

TEST(path_block, bytes_that_are_not_enabled_are_left_alone) {
    ppb_node n(small_ppb());
    std::vector<std::uint8_t> before = noise(256, 1), written = noise(150, 2), enables(150);
    n.gpu->dram.bytes().write(0, before.data(), before.size());
    for (std::size_t i = 0; i < enables.size(); ++i) enables[i] = i % 3 == 0 || i % 7 == 0 || (i > 40 && i < 60);
    requester& r = n.nic();
    requester::job& j = r.jobs.emplace_back();
    j.bytes = written;
    j.kind = pcie::operation_kind::write;
    j.address = n.bus(50);
    j.length = written.size();
    j.buffer = j.bytes.data();
    j.enables = enables.data();
    r.function->start(j);
    n.fence();
    n.sim.run();
    for (std::size_t i = 0; i < written.size(); ++i)
        if (enables[i] != 0) before[50 + i] = written[i];
    std::vector<std::uint8_t> memory(before.size());
    n.gpu->dram.bytes().read(0, memory.data(), memory.size());
    EXPECT_EQ(memory, before);
    n.expect_clean();
}

TEST(path_block, an_atomic_operation_comes_after_the_writes_to_its_line_and_its_line_leaves_the_read_cache) {
    pcie::fabric_spec f;
    f.non_posted_data = {256};
    ppb_node n(small_ppb(), 1, {}, f);
    EXPECT_EQ(n.read(64), 0u);
    write_word(n, 64, 40);
    requester& r = n.nic();
    const auto modify = [&](pcie::atomic_form form, std::vector<std::uint64_t> operands) -> requester::job& {
        requester::job& j = r.jobs.emplace_back();
        j.bytes.resize(operands.size() * 8);
        std::memcpy(j.bytes.data(), operands.data(), j.bytes.size());
        j.kind = pcie::operation_kind::atomic;
        j.form = form;
        j.address = n.bus(64);
        j.length = j.bytes.size();
        j.buffer = j.bytes.data();
        r.function->start(j);
        n.sim.run();
        EXPECT_NE(j.finished, sim_time{}) << n.waits();
        EXPECT_FALSE(j.failed());
        return j;
    };
    const auto old = [](const requester::job& j) { return core::load_le<std::uint64_t>(j.bytes.data()); };
    EXPECT_EQ(old(modify(pcie::atomic_form::fetch_add, {2})), 40u);
    EXPECT_EQ(n.load(64), 42u);
    EXPECT_EQ(n.read(64), 42u);
    EXPECT_EQ(old(modify(pcie::atomic_form::swap, {7})), 42u);
    EXPECT_EQ(old(modify(pcie::atomic_form::compare_and_swap, {8, 9})), 7u);
    EXPECT_EQ(n.load(64), 7u);
    EXPECT_EQ(old(modify(pcie::atomic_form::compare_and_swap, {7, 9})), 7u);
    EXPECT_EQ(n.read(64), 9u);
    EXPECT_EQ(n.ppb().statistics().atomics.value(), 4u);
    EXPECT_EQ(n.ppb().statistics().writing.max(), 1);
    n.sim.run();
    n.expect_clean();
}

TEST(path_block, what_it_does_not_have_is_refused_and_changes_nothing) {
    ppb_spec s = small_ppb();
    s.memory = {(1u << 20) - 4096};  // the BAR is larger
    ppb_node n(s);
    n.nic().write(n.control_register(), 1);
    n.nic().write(n.control_register(), noise(16, 3));
    n.nic().write(n.control_register(ppb_register::flushes), ppb_invalidate_and_flush);
    write_word(n, s.memory.count, 1);
    auto& beyond = n.nic().read(n.bus(s.memory.count), 8);
    auto& control = n.nic().read(n.control_register(), 8);
    auto& half = n.nic().read(n.control_register(ppb_register::refused), 4);
    auto& refused = static_cast<requester::job&>(n.nic().read(n.control_register(ppb_register::refused), 8));
    n.sim.run();
    EXPECT_EQ(beyond.status, pcie::completion_status::completer_abort);
    EXPECT_EQ(control.status, pcie::completion_status::completer_abort);
    EXPECT_EQ(half.status, pcie::completion_status::completer_abort);
    EXPECT_EQ(core::load_le<std::uint64_t>(refused.bytes.data()), 3u);
    EXPECT_EQ(n.ppb().statistics().flushes.value(), 0u);
    EXPECT_EQ(n.ppb().statistics().written_bytes.value(), 0u);
    std::vector<std::uint8_t> four{0x3, 0, 0, 0};
    n.nic().write(n.control_register(), four);
    n.sim.run();
    auto& flushes = static_cast<requester::job&>(n.nic().read(n.control_register(ppb_register::flushes), 8));
    n.sim.run();
    EXPECT_EQ(core::load_le<std::uint64_t>(flushes.bytes.data()), 1u);
    n.expect_clean();
}

// ---- time

TEST(path_block, a_read_takes_the_cache_s_time_or_the_memory_s) {
    ppb_node n(small_ppb());
    EXPECT_EQ(n.read(64), 0u);
    // Look-up 20 ns, row and column 14 each, 64 bytes at 48 GB/s 1.334, controller and wires 40, and a cycle to fill.
    EXPECT_EQ(n.ppb().statistics().read_latency.max(), 90u);
    EXPECT_EQ(n.read(64), 0u);
    EXPECT_EQ(n.ppb().statistics().read_latency.mean(), (90 + 20) / 2.0);
    n.nic().read(n.bus(64), 8);
    n.nic().read(n.bus(64), 8);
    n.sim.run();
    EXPECT_LE(n.ppb().statistics().read_latency.max(), 90u);
    n.expect_clean();
}

TEST(path_block, a_flush_sends_a_line_a_cycle_and_ends_with_the_last_answer) {
    ppb_node n(small_ppb());
    write_word(n, 0, 1);
    write_word(n, 64, 2);
    n.fence();
    n.sim.run();
    // The first line leaves after a cycle, the second at 2 ns. Memory answers it when it is in the queue, in 40 ns.
    EXPECT_EQ(n.ppb().statistics().flush_time.max(), 42u);
    EXPECT_EQ(n.ppb().statistics().flushed.value(), 2u);
    n.fence();
    n.sim.run();
    EXPECT_EQ(n.ppb().statistics().flush_time.mean(), (42 + 1) / 2.0);  // with nothing to write: a cycle
    n.expect_clean();
}

// ---- back-pressure, control, waits

TEST(path_block, a_full_combiner_holds_writes_back_on_the_link_and_loses_none) {
    for (const unsigned entries : {1u, 4u}) {
        ppb_spec s = small_ppb();
        s.combiner = entries;
        s.writes = 1;
        pcie::fabric_spec f;
        f.posted_headers = 2;
        ppb_node n(s, 1, {}, f);
        n.gpu->dram.control(core::control_verb::pause);
        const auto bytes = noise(64 * 200, 5);
        for (unsigned i = 0; i < 200; ++i)
            n.nic().write(n.bus(64 * i),
                          std::vector<std::uint8_t>(bytes.begin() + 64 * i, bytes.begin() + 64 * i + 64));
        n.run_for(sim_time::from_us(20));
        EXPECT_TRUE(n.ppb().combiner().full());
        EXPECT_THAT(n.waits(), HasSubstr("gpu waits for an entry of the write combiner of gpu_ppb"));
        EXPECT_THAT(n.waits(), HasSubstr("gpu_ppb waits for acceptance of a request of gpu_dram"));
        EXPECT_THAT(n.waits(), HasSubstr("waits for posted header credit"));
        n.gpu->dram.control(core::control_verb::enable);
        n.fence();
        n.sim.run();
        std::vector<std::uint8_t> memory(bytes.size());
        n.gpu->dram.bytes().read(0, memory.data(), memory.size());
        EXPECT_EQ(memory, bytes);
        EXPECT_GE(n.ppb().statistics().evictions.value(), 200u - entries);
        EXPECT_GT(n.ppb().statistics().held_writes.value(), 0u);
        n.expect_clean();
    }
}

TEST(path_block, a_memory_that_takes_nothing_is_named_for_reads_writes_and_flushes) {
    ppb_spec s = small_ppb();
    s.reads = 2;
    ppb_node n(s);
    n.gpu->dram.control(core::control_verb::pause);
    for (unsigned i = 0; i < 4; ++i) n.nic().read(n.bus(64 * i), 8);
    write_word(n, 4096, 1);
    n.fence();
    n.run_for(sim_time::from_us(20));
    EXPECT_THAT(n.waits(), HasSubstr("gpu waits for room among reads of gpu_ppb"));
    EXPECT_THAT(n.waits(), HasSubstr("gpu waits for the end of a flush of gpu_ppb"));
    EXPECT_THAT(n.waits(), HasSubstr("gpu_ppb waits for acceptance of a request of gpu_dram"));
    EXPECT_THAT(n.waits(), HasSubstr("gpu_ppb waits for lines of gpu_ppb.read_cache"));
    n.gpu->dram.control(core::control_verb::enable);
    n.sim.run();
    EXPECT_EQ(n.load(4096), 1u);
    EXPECT_GT(n.ppb().statistics().held_reads.value(), 0u);
    n.expect_clean();
}

TEST(path_block, drain_takes_nothing_more_and_ends_what_it_has) {
    ppb_node n(small_ppb());
    write_word(n, 64, 1);
    n.run_for(sim_time::from_us(2));
    ASSERT_TRUE(n.ppb().control(core::control_verb::drain));
    write_word(n, 128, 2);
    n.nic().read(n.bus(0), 64);
    ASSERT_TRUE(n.ppb().control(core::control_verb::flush));
    n.run_for(sim_time::from_us(20));
    EXPECT_EQ(n.load(64), 1u);
    EXPECT_TRUE(n.ppb().idle());
    EXPECT_THAT(n.waits(), HasSubstr("gpu waits for to be enabled of gpu_ppb"));
    ASSERT_TRUE(n.ppb().control(core::control_verb::enable));
    n.run_for(sim_time::from_us(2));
    EXPECT_EQ(n.ppb().combiner().used(), 1u);
    EXPECT_EQ(n.nic().ended, n.nic().jobs.size());
    n.sim.run();
    n.expect_clean();
}

TEST(path_block, invalidate_empties_the_read_cache_alone) {
    ppb_node n(small_ppb());
    EXPECT_EQ(n.read(64), 0u);
    write_word(n, 128, 2);
    n.run_for(sim_time::from_us(2));
    n.store(64, 1);
    ASSERT_TRUE(n.ppb().control(core::control_verb::invalidate));
    EXPECT_EQ(n.read(64), 1u);
    EXPECT_EQ(n.load(128), 0u);
    n.sim.run();
    n.expect_clean();
}

TEST(path_block, reset_in_the_midst_leaves_nothing_and_works_again) {
    for (const unsigned ns : {10u, 300u, 420u, 500u, 560u, 700u, 1500u}) {
        ppb_spec s = small_ppb();
        s.combiner = 3;
        s.writes = 2;
        ppb_node n(s, 2);
        for (unsigned i = 0; i < 50; ++i) {
            n.nic(0).write(n.bus(4096 + 40 * i), noise(40, i));
            n.nic(1).read(n.bus(100 * i), 300);
            if (i % 10 == 5) n.fence(0);
        }
        n.run_for(sim_time::from_ns(ns));
        ASSERT_TRUE(n.tree->control(core::control_verb::reset));
        EXPECT_EQ(n.gpu->payloads.in_flight(), 0u);
        EXPECT_EQ(n.pool.in_flight(), 0u);
        EXPECT_TRUE(n.ppb().idle());
        n.sim.run();
        n.store(64, 3);
        EXPECT_EQ(n.read(64), 3u);
        write_word(n, 128, 4);
        n.fence();
        n.sim.run();
        EXPECT_EQ(n.load(128), 4u);
        n.expect_clean();
    }
}

}  // namespace
