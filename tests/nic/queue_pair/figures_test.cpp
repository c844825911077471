// SPDX-License-Identifier: Apache-2.0
// Times and rates against arithmetic: bandwidth, message rate, Little's law, and the latency of one message as the sum
// of its parts.
#include "nic/queue_pair/nic_bench.h"

using namespace contraflow;
using namespace contraflow::nic;
using core::sim_time;
using nic::testing::bench;
using nic::testing::bench_spec;
using nic::testing::node;

namespace {

// What a link takes for a packet: whole words of 8 bytes, one a cycle.
sim_time on_wire(std::uint64_t bytes) {
    const switched_network_spec s;
    return s.cycle() * ((s.header.count + bytes + 7) / 8);
}

double seconds_for(bench& b, unsigned messages) {
    sim_time first = sim_time::never(), last{};
    for (const message_end& m : b[0].ends) {
        first = std::min(first, m.at.rung);
        last = std::max(last, m.at.completed);
    }
    EXPECT_EQ(b[0].ends.size(), messages);
    return (last - first).seconds();
}

TEST(figures, large_writes_fill_the_wire) {
    for (const unsigned queues : {1u, 3u}) {
        bench b;
        for (unsigned q = 0; q < queues; ++q) b.connect(0, q, 1, q);
        for (unsigned q = 0; q < queues; ++q) {
            for (unsigned i = 0; i < 12 / queues; ++i) b[0].post(q, b.write(0, 0, 1, 0, 1u << 20));
            b[0].ring(q);
        }
        b.sim.run();
        const double expected = 12.5e9 * 4096 / (8.0 * static_cast<double>(on_wire(4096).ps / 640));
        const double reached = 12.0 * (1u << 20) / seconds_for(b, 12);
        EXPECT_NEAR(reached / expected, 1, 0.02) << reached << " of " << expected << " bytes/s, " << queues;
        EXPECT_EQ(b[0].nic->sends().retransmitted(), 0u);
    }
}

TEST(figures, large_reads_fill_the_wire_too) {
    bench b;
    b.connect(0, 0, 1, 0);
    for (unsigned i = 0; i < 12; ++i) b[0].post(0, b.read(0, 0, 1, 0, 1u << 20));
    b[0].ring(0);
    b.sim.run();
    const double expected = 12.5e9 * 4096 / (8.0 * static_cast<double>(on_wire(4096).ps / 640));
    EXPECT_NEAR(12.0 * (1u << 20) / seconds_for(b, 12) / expected, 1, 0.02);
}

// The rate of small messages is that of the slowest stage.
TEST(figures, small_messages_of_many_queue_pairs_keep_the_interval_of_entries) {
    bench_spec s;
    s.nic.interval = sim_time::from_ns(50);
    s.nic.completions = 64;
    bench b(s);
    constexpr unsigned queues = 12, each = 60;
    for (unsigned q = 0; q < queues; ++q) b.connect(0, q, 1, q);
    for (unsigned i = 0; i < each; ++i)
        for (unsigned q = 0; q < queues; ++q) b[0].post(q, b.store(1, 8 * (q * each + i), i));
    for (unsigned q = 0; q < queues; ++q) b[0].ring(q);
    b.sim.run();
    std::vector<sim_time> begun;
    for (const message_end& m : b[0].ends) begun.push_back(m.at.begun);
    std::ranges::sort(begun);
    ASSERT_EQ(begun.size(), queues * each);
    const double interval = (begun.back() - begun.front()).seconds() / static_cast<double>(begun.size() - 1);
    EXPECT_NEAR(interval, 50e-9, 1e-9);
    for (std::size_t i = 1; i < begun.size(); ++i) EXPECT_GE((begun[i] - begun[i - 1]).ps, 50'000u);
    // Turns: none is more than a few entries ahead of another.
    std::map<std::uint32_t, unsigned> count;
    for (std::size_t i = 0; i < b[0].ends.size() / 2; ++i) ++count[b[0].ends[i].queue];
    for (const auto& [queue, n] : count) EXPECT_NEAR(n, each / 2, 3) << queue;
}

TEST(figures, one_queue_pair_is_limited_by_its_window) {
    bench_spec s;
    s.nic.window = 4;
    s.nic.fetch = 4;
    s.nic.interval = {};
    bench b(s);
    b.connect(0, 0, 1, 0);
    for (unsigned i = 0; i < 60; ++i) b[0].post(0, b.store(1, 8 * i, i));
    b[0].ring(0);
    b.sim.run();
    // Little's law: entries in the window = rate x time from fetch to end.
    double inside = 0;
    sim_time first = sim_time::never(), last{};
    for (const message_end& m : b[0].ends) {
        inside += (m.at.answered - m.at.fetching).seconds();
        first = std::min(first, m.at.fetching);
        last = std::max(last, m.at.answered);
    }
    EXPECT_NEAR(inside / (last - first).seconds(), 4, 0.2);
}

TEST(figures, the_entries_that_are_open_follow_littles_law) {
    bench b;
    for (unsigned q = 0; q < 4; ++q) b.connect(0, q, 1, q);
    b.statistics.reset(b.sim.events().now());
    const sim_time begin = b.sim.events().now();
    std::mt19937_64 draw(2);
    for (unsigned i = 0; i < 50; ++i) {
        for (unsigned q = 0; q < 4; ++q) {
            work_entry e = b.write(0, 64 * i, 1, 64 * i, static_cast<std::uint32_t>(1 + draw() % 5000));
            e.signalled = false;  // an entry without a completion ends when it leaves the queue pair
            b[0].put(q, e);
        }
        b.sim.run_to(b.sim.events().now() + sim_time{1 + draw() % 3'000'000});
    }
    b.sim.run();
    const sim_time end = b.sim.events().now();
    double spent = 0;
    for (const message_end& m : b[0].ends) spent += (m.at.completed - m.at.rung).seconds();
    EXPECT_EQ(b[0].ends.size(), 200u);
    double mean = -1;
    for (const observe::stat_row& r : b.statistics.rows(end))
        if (r.path == std::string(b[0].nic->function().name()) + ".send.open" && r.metric == "mean") mean = r.value;
    EXPECT_NEAR(mean, spent / (end - begin).seconds(), 1e-6 * mean);
}

// A read or write of the NIC's function, alone on PCIe.
struct probe : private pcie::requester_user_if {
    explicit probe(bench& of) : b(of) {}
    sim_time measure(unsigned n, pcie::operation_kind kind, std::uint64_t address, std::uint64_t length) {
        bytes.resize(length);
        o.kind = kind;
        o.address = address;
        o.length = length;
        o.buffer = bytes.data();
        o.owner = this;
        const sim_time begin = b.sim.events().now();
        b[n].nic->function().start(o);
        b.sim.run();
        return at - begin;
    }
    void finished(pcie::operation&) override { at = b.sim.events().now(); }
    bench& b;
    pcie::operation o;
    std::vector<std::uint8_t> bytes;
    sim_time at{};
};

TEST(figures, the_latency_of_a_write_is_the_sum_of_its_parts) {
    for (const std::uint32_t length : {8u, 512u, 4096u}) {
        bench b;
        b.connect(0, 0, 1, 0);
        b[0].fill(0, length, 1);
        b[0].put(0, b.write(0, 0, 1, 0, length));  // fills the TLBs
        b.sim.run();
        b[0].take(0);
        b.sim.run();
        probe p(b);
        using enum pcie::operation_kind;
        const sim_time fetch = p.measure(0, read, b[0].gpu_address(node::rings_at), 64);
        const sim_time gather = p.measure(0, read, b[0].gpu_address(b[0].place(0)), length);
        const std::vector<std::uint8_t> there(b[1].gpu.begin(), b[1].gpu.end());
        p.bytes = b[1].bytes(0, length);
        const sim_time scatter = p.measure(1, write, b[1].gpu_address(b[1].place(0)), length);
        p.bytes.assign(64, 0);
        const sim_time completion = p.measure(0, write, b[0].gpu_address(node::rings_at - 64), 64);
        const sim_time link = b.spec.network.propagation + b.spec.network.pipeline;
        const sim_time out = (link + on_wire(16 + length)) * 2, back = (link + on_wire(4)) * 2;

        b[0].put(0, b.write(0, 0, 1, 0, length));
        b.sim.run();
        ASSERT_EQ(b[0].ends.size(), 2u);
        const message_times& t = b[0].ends[1].at;
        EXPECT_EQ(t.fetching, t.rung);
        EXPECT_EQ(t.fetched - t.fetching, fetch);
        EXPECT_EQ(t.begun, t.fetched);
        EXPECT_EQ(t.processed - t.begun, b.spec.nic.processing);
        EXPECT_EQ(t.sent - t.processed, gather);
        // Packets begin at edges of the network's clock.
        const sim_time network = out + back + b.spec.nic.receive * 2 + scatter;
        EXPECT_GE((t.answered - t.sent).ps, network.ps);
        EXPECT_LE((t.answered - t.sent).ps, network.ps + 4 * b.spec.network.cycle().ps);
        EXPECT_EQ(t.completed - t.answered, completion);
        EXPECT_NEAR(static_cast<double>((t.completed - t.rung).ps),
                    static_cast<double>((fetch + b.spec.nic.processing + gather + network + completion).ps),
                    4.0 * static_cast<double>(b.spec.network.cycle().ps));
    }
}

TEST(figures, an_entry_that_comes_with_its_doorbell_saves_the_read) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[0].put(0, b.write(0, 0, 1, 0, 8));  // fills the TLBs
    b.sim.run();
    b[0].put(0, b.write(0, 0, 1, 0, 8));
    b.sim.run();
    b[0].push(0, b.write(0, 0, 1, 0, 8));
    b.sim.run();
    ASSERT_EQ(b[0].ends.size(), 3u);
    const message_times &read = b[0].ends[1].at, &pushed = b[0].ends[2].at;
    EXPECT_EQ(pushed.fetched, pushed.rung);
    EXPECT_EQ(pushed.begun, pushed.rung);
    EXPECT_NEAR(static_cast<double>((pushed.completed - pushed.rung).ps),
                static_cast<double>((read.completed - read.fetched).ps),
                4.0 * static_cast<double>(b.spec.network.cycle().ps));
}

TEST(figures, about_700_ns_through_the_network) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[0].put(0, b.store(1, 0, 1));
    b.sim.run();
    EXPECT_EQ(b.net->latency(0, 1), sim_time::from_ns(680));
    const sim_time one_way = b.net->latency(0, 1) + on_wire(24) * 2;
    EXPECT_NEAR(static_cast<double>(one_way.ps), 700e3, 20e3);
}

TEST(figures, a_translation_that_is_not_in_the_tlb_costs_a_walk) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[0].put(0, b.store(1, 0, 1));
    b.sim.run();
    b[0].put(0, b.store(1, 8, 1));  // the same page
    b.sim.run();
    ASSERT_EQ(b[0].ends.size(), 2u);
    const auto network = [&](unsigned i) { return b[0].ends[i].at.answered - b[0].ends[i].at.sent; };
    EXPECT_NEAR(static_cast<double>((network(0) - network(1)).ps),
                static_cast<double>((b.spec.nic.table_latency * 3).ps),
                2.0 * static_cast<double>(b.spec.network.cycle().ps));
}

}  // namespace
