// SPDX-License-Identifier: Apache-2.0
// Nodes whose kernels talk to the network: bytes arrive, in time, once, and nowhere else.
#include "host/cluster/queue_pair_bench.h"

#include "config/config.h"

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using gpu::mask;
using gpu::wave;
using nic::work_status;
using ::testing::HasSubstr;

namespace {

constexpr std::uint64_t upper = 96 << 10;  // offsets from here on are written

TEST(queue_pair_cluster, puts_of_all_sizes_between_all_nodes_arrive_whole_and_nothing_else_changes) {
    static constexpr std::array<std::uint32_t, 6> sizes{1, 8, 63, 256, 4097, 8000};
    queue_pair_bench b(small_queue_pair_cluster(3));
    b.cluster.connect_all(1);
    b.sim.run();
    for (unsigned n = 0; n < 3; ++n)
        b.start(n, [&b, n](wave w) -> gpu::kernel {
            for (unsigned i = 0; i < sizes.size(); ++i)
                for (unsigned other = 0; other < 3; ++other) {
                    if (other == n) continue;
                    const queue_pair_end& q = b.cluster.end(n, other);
                    const std::uint64_t there = upper + (n * sizes.size() + i) * 8192 + 5, at = 1000 * i + 3;
                    co_await post(w, q, b.write(n, at, other, there, sizes[i], i + 1), b.node(n).control_page());
                    const auto c = co_await complete(w, q, i + 1);
                    EXPECT_EQ(c.status, work_status::done);
                    EXPECT_EQ(c.number, i + 1);
                    b.expect(other, there, n, at, sizes[i]);
                }
        });
    b.run();
    b.expect_clean();
    b.expect_memories();
}

// A run may be cut short: what is on its way is given back, whoever has it.
TEST(queue_pair_cluster, ends_in_the_midst_of_its_work) {
    for (std::uint64_t ns = 500; ns < 12'000; ns += ns / 8 + 100) {
        queue_pair_bench b(small_queue_pair_cluster(2));
        b.cluster.connect_all(1);
        b.sim.run();
        for (unsigned n = 0; n < 2; ++n)
            b.start(n, [&b, n](wave w) -> gpu::kernel {
                for (unsigned i = 1;; ++i) {
                    co_await post(w, b.cluster.end(n, 1 - n), b.write(n, 0, 1 - n, upper, 8000, i),
                                  b.node(n).control_page());
                    co_await complete(w, b.cluster.end(n, 1 - n), i);
                }
            });
        b.sim.run_to(b.sim.events().now() + sim_time::from_ns(ns));
    }
}

TEST(queue_pair_cluster, the_data_fabric_of_each_node_draws_times_of_its_own) {
    std::set<std::uint64_t> seeds;
    for (const std::uint64_t seed : {1u, 2u}) {
        auto s = small_queue_pair_cluster(3);
        s.node.gpu.values.fabric.seed = seed;
        core::simulation sim{core::time_source::scheduler};
        observe::statistics statistics;
        queue_pair_cluster c("", sim.events(), statistics, s);
        for (unsigned n = 0; n < 3; ++n) seeds.insert(c.node(n).configuration().gpu.values.fabric.seed);
    }
    EXPECT_EQ(seeds.size(), 6u);
}

TEST(queue_pair_cluster, a_kernel_reads_and_adds_in_another_node_s_memory) {
    queue_pair_bench b(small_queue_pair_cluster(2));
    b.cluster.connect_all(1);
    b.sim.run();
    const word before = b.data[1].gpu_expected[4];
    word old = 0;
    b.start(0, [&](wave w) -> gpu::kernel {
        const queue_pair_end& q = b.cluster.end(0, 1);
        const auto control = b.node(0).control_page();
        co_await post(w, q, b.read(0, upper, 1, 100, 5000, 1), control);
        EXPECT_EQ((co_await complete(w, q, 1)).status, work_status::done);
        co_await post(w, q, b.add(0, upper + 8000, 1, 32, 5, 2), control);
        EXPECT_EQ((co_await complete(w, q, 2)).status, work_status::done);
        // The old value is in the write combiner of this GPU; the completion may have passed it.
        co_await w.store(control, 0, gpu::ppb_invalidate_and_flush, mask::thread(0));
        co_await w.fence();
        old = (co_await w.load(b.data[0].in_gpu, (upper + 8000) / 8, mask::thread(0)))[0];
    });
    b.run();
    EXPECT_EQ(old, before);
    b.expect(0, upper, 1, 100, 5000);
    b.data[0].gpu_expected[(upper + 8000) / 8] = before;
    b.data[1].gpu_expected[4] = before + 5;
    b.expect_clean();
    b.expect_memories();
}

// A message to the control register of another node's path block.
TEST(queue_pair_cluster, a_node_flushes_the_path_block_of_another_one_and_what_was_sent_before_is_in_memory) {
    auto s = small_queue_pair_cluster(2);
    s.node.gpu.values.ppb.drain_after = sim_time::from_us(500);
    queue_pair_bench b(s);
    b.cluster.connect(0, 1, {.completions_in = ring_place::host});  // so that completions wait in no path block
    b.sim.run();
    const std::uint64_t at = b.data[1].in_gpu.address() + upper;
    const auto arrived = [&] {
        word v = 0;
        const auto physical = b.node(1).gpu().system().pages().translate(at, 0);
        b.node(1).gpu().system().socket(0).memory().bytes().read(physical, reinterpret_cast<std::uint8_t*>(&v), 8);
        return v == b.data[0].gpu_expected[0];
    };
    b.start(0, [&](wave w) -> gpu::kernel {
        const queue_pair_end& q = b.cluster.end(0, 1);
        co_await post(w, q, b.write(0, 0, 1, upper, 8, 1), b.node(0).control_page());
        EXPECT_EQ((co_await complete(w, q, 1)).status, work_status::done);
        EXPECT_FALSE(arrived());
        co_await post(w, q, b.flush(1, 2), b.node(0).control_page());
        EXPECT_EQ((co_await complete(w, q, 2)).status, work_status::done);
        // The acknowledgement comes when the write has left; the register holds what follows until the flush has ended.
        co_await post(w, q, b.read(0, upper + 64, 1, 0, 8, 3), b.node(0).control_page());
        EXPECT_EQ((co_await complete(w, q, 3)).status, work_status::done);
        EXPECT_TRUE(arrived());
    });
    b.run();
    EXPECT_EQ(b.node(1).gpu().ppb().statistics().flushes.value(), 1u);
    EXPECT_EQ(b.node(1).gpu().ppb().statistics().refused.value(), 0u);
    b.expect(1, upper, 0, 0, 8);
    b.expect(0, upper + 64, 1, 0, 8);
    b.expect_clean();
    b.expect_memories();
}

// A read or write of the NIC's function, alone on PCIe.
struct probe : private pcie::requester_user_if {
    explicit probe(queue_pair_bench& of) : b(of) {}
    sim_time measure(unsigned n, pcie::operation_kind kind, std::uint64_t address, std::uint64_t length) {
        bytes.assign(length, 0);
        o.kind = kind;
        o.address = address;
        o.length = length;
        o.buffer = bytes.data();
        o.owner = this;
        const sim_time begin = b.sim.events().now();
        b.node(n).nic().function().start(o);
        b.sim.run();
        return at - begin;
    }
    void finished(pcie::operation&) override { at = b.sim.events().now(); }
    queue_pair_bench& b;
    pcie::operation o;
    std::vector<std::uint8_t> bytes;
    sim_time at{};
};

struct last_message : nic::message_observer_if {
    nic::message_end m;
    void message_ended(const nic::message_end& e) override { m = e; }
};

TEST(queue_pair_cluster, the_time_of_a_put_of_256_bytes_is_the_sum_of_its_parts) {
    auto s = small_queue_pair_cluster(2);
    s.node.gpu.values.ppb.order = gpu::drain_order::arrival;
    s.node.gpu.values.dram.refresh_interval = {};  // else a part measured alone may meet a refresh
    queue_pair_bench b(s);
    b.cluster.connect_all(1);
    b.sim.run();
    last_message last;
    b.node(0).nic().set_observer(&last);
    const queue_pair_end& q = b.cluster.end(0, 1);
    const auto spare = b.node(0).gpu().memory().allocate<word>(64, memory::memory_type::uncached);
    std::array<sim_time, 6> t{};
    const auto put = [&](std::uint32_t number) {
        b.start(0, [&, number](wave w) -> gpu::kernel {
            const auto now = [&] { return b.sim.events().now(); };
            const auto control = b.node(0).control_page();
            std::array<std::uint8_t, nic::work_entry_bytes> bytes{};
            b.write(0, 0, 1, upper, 256, number).encode(bytes);
            const auto words = gpu::per_thread<word>::from(
                [&](unsigned i) { return i < 8 ? core::load_le<word>(bytes.data() + 8 * i) : 0; });
            t[0] = now();
            co_await w.store(q.entries, w.thread_ids() + 8 * (number - 1), words, mask::first(8));
            co_await w.fence();
            t[1] = now();
            co_await w.store(control, 0, gpu::ppb_invalidate_and_flush, mask::thread(0));
            co_await w.fence();
            t[2] = now();
            co_await w.store(q.doorbell, 0, word{number}, mask::thread(0));
            while ((co_await w.load(q.completions, 8 * (number - 1), mask::thread(0)))[0] == 0) {}
            t[3] = now();
            // The same steps again, alone.
            co_await w.store(spare, w.thread_ids(), words, mask::first(8));
            co_await w.fence();
            t[4] = now();
            co_await w.store(control, 0, gpu::ppb_invalidate_and_flush, mask::thread(0));
            co_await w.fence();
            t[5] = now();
        });
        b.run();
    };
    put(1);  // fills the TLBs
    put(2);
    const nic::message_times m = last.m.at;
    const std::array<sim_time, 6> measured = t;
    probe p(b);
    using enum pcie::operation_kind;
    b.node(0).gpu().ppb().control(core::control_verb::invalidate);
    const sim_time fetch = p.measure(0, read, q.rings.entries_at + 64, 64);
    const sim_time gather = p.measure(0, read, b.node(0).gpu().bus_address(b.data[0].in_gpu.address()), 256);
    const sim_time scatter = p.measure(1, write, b.node(1).gpu().bus_address(b.data[1].in_gpu.address()), 256);
    const sim_time completion = p.measure(0, write, b.node(0).gpu().bus_address(spare.address()), 64);
    const auto on_wire = [&](std::uint64_t bytes) {
        return s.network.cycle() * ((s.network.header.count + bytes + 7) / 8);
    };
    const sim_time link = s.network.propagation + s.network.pipeline;
    const sim_time network = (link * 2 + on_wire(16 + 256) + on_wire(4)) * 2 + s.node.nic.receive * 2 + scatter;

    const double cycles = 4.0 * static_cast<double>(s.network.cycle().ps);  // packets begin at edges of its clock
    const auto near = [](sim_time a, sim_time b, double tolerance) {
        EXPECT_NEAR(static_cast<double>(a.ps), static_cast<double>(b.ps), tolerance);
    };
    near(measured[1] - measured[0], measured[4] - measured[3], 20e3);
    near(measured[2] - measured[1], measured[5] - measured[4], 20e3);
    EXPECT_EQ(m.fetching, m.rung);
    near(m.fetched - m.fetching, fetch, 20e3);
    EXPECT_EQ(m.begun, m.fetched);
    EXPECT_EQ(m.processed - m.begun, s.node.nic.processing);
    near(m.sent - m.processed, gather, 20e3);
    near(m.answered - m.sent, network, cycles);
    EXPECT_EQ(m.completed - m.answered, completion);
    // The completion waits in the path block, and then for the next look of the kernel.
    EXPECT_GE(measured[3] - m.completed, s.node.gpu.values.ppb.drain_after);
    const sim_time total = measured[3] - measured[0];
    const sim_time doorbell = m.rung - measured[2], seen = measured[3] - m.completed;
    const sim_time sum = (measured[1] - measured[0]) + (measured[2] - measured[1]) + doorbell + fetch +
                         s.node.nic.processing + gather + network + completion + seen;
    near(total, sum, 50e3);
    fmt::print("put of 256 bytes: {} = stores {} + control {} + doorbell {} + fetch {} + processing {} + gather {} + "
               "network {} + completion {} + seen {}\n",
               core::to_text(total), core::to_text(measured[1] - measured[0]), core::to_text(measured[2] - measured[1]),
               core::to_text(doorbell), core::to_text(fetch), core::to_text(s.node.nic.processing),
               core::to_text(gather), core::to_text(network), core::to_text(completion), core::to_text(seen));
    EXPECT_LT(doorbell, sim_time::from_us(1));
    EXPECT_LT(seen, s.node.gpu.values.ppb.drain_after + sim_time::from_us(1));
}

// What the CPU has written before needs three stores: words 0, 2 and 4.
TEST(queue_pair_cluster, an_entry_from_a_template_needs_three_stores) {
    queue_pair_bench b(small_queue_pair_cluster(2));
    b.cluster.connect_all(1);
    const queue_pair_end& q = b.cluster.end(0, 1);
    nic::work_entry blank = b.write(0, 0, 1, 0, 512, 1);
    blank.local_address = blank.remote_address = 0;
    b.node(0).write_entry(q, blank);
    b.sim.run();
    b.start(0, [&](wave w) -> gpu::kernel {
        std::array<std::uint8_t, nic::work_entry_bytes> bytes{};
        b.write(0, 0, 1, upper, 512, 1).encode(bytes);
        for (const unsigned i : {0u, 2u, 4u})
            co_await w.store(q.entries, i, core::load_le<word>(bytes.data() + 8 * i), mask::thread(0));
        co_await w.fence();
        co_await w.store(b.node(0).control_page(), 0, gpu::ppb_invalidate_and_flush, mask::thread(0));
        co_await w.fence();
        co_await w.store(q.doorbell, 0, word{1}, mask::thread(0));
        EXPECT_EQ((co_await complete(w, q, 1)).status, work_status::done);
    });
    b.run();
    b.expect(1, upper, 0, 0, 512);
    b.expect_clean();
    b.expect_memories();
}

TEST(queue_pair_cluster, rings_in_the_host_s_memory_serve_kernels_and_the_cpu) {
    queue_pair_bench b(small_queue_pair_cluster(2));
    constexpr ring_sizes in_host{
        .entries = 4, .completions = 4, .entries_in = ring_place::host, .completions_in = ring_place::host};
    b.cluster.connect(0, 1, in_host, in_host);
    b.sim.run();
    const queue_pair_end& q = b.cluster.end(0, 1);
    // Node 0's kernel goes around the ring, over PCIe.
    b.start(0, [&](wave w) -> gpu::kernel {
        for (std::uint32_t i = 1; i <= 10; ++i) {
            co_await post(w, q, b.write(0, 64 * i, 1, upper + 64 * i, 64, i), b.node(0).control_page());
            EXPECT_EQ((co_await complete(w, q, i)).number, i);
        }
    });
    // Node 1's CPU sends from the host's memory.
    const queue_pair_end& back = b.cluster.end(1, 0);
    for (std::uint32_t i = 1; i <= 3; ++i) {
        nic::work_entry e = b.write(1, 0, 0, 0, 1000, i);
        e.local_address = b.data[1].in_host + 1000 * i;
        e.local_key = b.data[1].host_key.local_key;
        e.remote_address = b.data[0].in_host + upper + 1000 * i;
        e.remote_key = b.data[0].host_key.remote_key;
        b.node(1).write_entry(back, e);
        std::copy_n(b.data[1].host_expected.begin() + 1000 * i, 1000,
                    b.data[0].host_expected.begin() + upper + 1000 * i);
    }
    b.node(1).driver().doorbell(back.number, 3);
    b.run();
    for (std::uint32_t i = 1; i <= 3; ++i) {
        const auto c = b.node(1).completion(back, i);
        ASSERT_TRUE(c);
        EXPECT_EQ(c->number, i);
        EXPECT_EQ(c->status, work_status::done);
    }
    EXPECT_FALSE(b.node(1).completion(back, 4));
    b.expect(1, upper + 64, 0, 64, 640);
    b.expect_clean();
    b.expect_memories();
}

TEST(queue_pair_cluster, nothing_is_lost_or_done_twice_when_the_network_loses_packets) {
    auto s = small_queue_pair_cluster(2);
    s.node.nic.loss.probability = 0.1;
    s.node.nic.retry_after = sim_time::from_us(20);
    queue_pair_bench b(s);
    b.cluster.connect_all(1);
    b.sim.run();
    constexpr unsigned rounds = 40;
    std::array<word, 2> before{};
    for (unsigned n = 0; n < 2; ++n) before[n] = b.data[n].gpu_expected[0];
    for (unsigned n = 0; n < 2; ++n) {
        const unsigned other = 1 - n;
        b.start(n, [&b, n, other](wave w) -> gpu::kernel {
            const queue_pair_end& q = b.cluster.end(n, other);
            std::uint32_t number = 0;
            for (unsigned i = 0; i < rounds; ++i) {
                co_await post(w, q, b.write(n, 3000 * i % 60'000 + 8, other, upper + 3000 * i, 3000, ++number),
                              b.node(n).control_page());
                EXPECT_EQ((co_await complete(w, q, number)).status, work_status::done);
                co_await post(w, q, b.add(n, upper + 130'000, other, 0, i + 1, ++number), b.node(n).control_page());
                EXPECT_EQ((co_await complete(w, q, number)).status, work_status::done);
            }
        });
    }
    b.run();
    std::uint64_t again = 0, lost = 0;
    for (unsigned n = 0; n < 2; ++n) {
        again += b.node(n).nic().sends().retransmitted();
        lost += b.node(n).nic().network().lost();
        for (unsigned i = 0; i < rounds; ++i) b.expect(1 - n, upper + 3000 * i, n, 3000 * i % 60'000 + 8, 3000);
        b.data[n].gpu_expected[0] = before[n] + rounds * (rounds + 1) / 2;
    }
    EXPECT_GT(again, 10u);
    EXPECT_GT(lost, 10u);
    for (unsigned n = 0; n < 2; ++n)  // the value before the last addition
        b.data[n].gpu_expected[(upper + 130'000) / 8] = before[1 - n] + rounds * (rounds - 1) / 2;
    b.expect_clean();
    b.expect_memories();
}

TEST(queue_pair_cluster, a_wrong_key_writes_nothing_fails_the_queue_pair_and_the_host_is_told) {
    queue_pair_bench b(small_queue_pair_cluster(2));
    b.cluster.connect_all(1);
    b.sim.run();
    b.start(0, [&](wave w) -> gpu::kernel {
        const queue_pair_end& q = b.cluster.end(0, 1);
        auto e = b.write(0, 0, 1, upper, 64, 1);
        e.remote_key ^= 1;
        co_await post(w, q, e, b.node(0).control_page());
        EXPECT_EQ((co_await complete(w, q, 1)).status, work_status::remote_access);
        co_await post(w, q, b.write(0, 0, 1, upper, 64, 2), b.node(0).control_page());
        EXPECT_EQ((co_await complete(w, q, 2)).status, work_status::flushed);
    });
    b.run();
    EXPECT_EQ(b.node(0).failures(), 1u);
    EXPECT_EQ(b.node(1).failures(), 0u);
    b.expect_clean();
    b.expect_memories();
    // Opened anew it works, and old entries are not read again.
    b.cluster.reconnect();
    b.sim.run();
    const queue_pair_end& q = b.cluster.end(0, 1);
    EXPECT_FALSE(b.node(0).completion(q, 1));
    b.node(0).write_entry(q, b.write(0, 0, 1, upper, 64, 1));
    b.node(0).driver().doorbell(q.number, 1);
    b.run();
    ASSERT_TRUE(b.node(0).completion(q, 1));
    EXPECT_EQ(b.node(0).completion(q, 1)->status, work_status::done);
    b.expect(1, upper, 0, 0, 64);
    b.expect_clean();
    b.expect_memories();
}

gpu::kernel endless_puts(wave w, queue_pair_bench& b, unsigned n) {
    const queue_pair_end& q = b.cluster.end(n, 1 - n);
    for (std::uint32_t i = 1;; ++i) {
        co_await post(w, q, b.write(n, 0, 1 - n, upper, 30'000, i), b.node(n).control_page());
        co_await complete(w, q, i);
    }
}

TEST(queue_pair_cluster, a_reset_at_any_time_leaves_nothing_behind) {
    queue_pair_bench b(small_queue_pair_cluster(2));
    b.cluster.connect_all(1);
    b.sim.run();
    for (unsigned i = 0; i < 12; ++i) {
        for (unsigned n = 0; n < 2; ++n) {
            b.start(n, [&b, n](wave w) -> gpu::kernel { return endless_puts(w, b, n); });
        }
        b.sim.run_to(b.sim.events().now() + sim_time::from_ns(3000 + i * 977));
        EXPECT_GT(b.cluster.outstanding(), 0u);
        EXPECT_TRUE(b.cluster.control(core::control_verb::reset));
        for (unsigned n = 0; n < 2; ++n) EXPECT_THROW(b.node(n).gpu().host().rethrow(), std::runtime_error);
        b.started.clear();
        b.sim.run();
        b.expect_clean();
        for (unsigned n = 0; n < 2; ++n) {
            b.register_all(n);
            b.fill(n);
        }
        b.cluster.reconnect();
        b.sim.run();
    }
    b.start(1, [&](wave w) -> gpu::kernel {
        const queue_pair_end& q = b.cluster.end(1, 0);
        co_await post(w, q, b.write(1, 0, 0, upper, 5000, 1), b.node(1).control_page());
        EXPECT_EQ((co_await complete(w, q, 1)).status, work_status::done);
        co_await post(w, q, b.flush(0, 2), b.node(1).control_page());
        EXPECT_EQ((co_await complete(w, q, 2)).status, work_status::done);
    });
    b.run();
    b.expect(0, upper, 1, 0, 5000);
    b.expect_clean();
    b.expect_memories();
}

TEST(queue_pair_cluster, pause_stops_all_traffic_and_enable_goes_on) {
    queue_pair_bench b(small_queue_pair_cluster(2));
    b.cluster.connect_all(1);
    b.sim.run();
    b.start(0, [&](wave w) -> gpu::kernel {
        const queue_pair_end& q = b.cluster.end(0, 1);
        co_await post(w, q, b.write(0, 0, 1, upper, 5000, 1), b.node(0).control_page());
        EXPECT_EQ((co_await complete(w, q, 1)).status, work_status::done);
    });
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(3));
    EXPECT_TRUE(b.cluster.control(core::control_verb::pause));
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(20));
    const std::uint64_t moved = b.cluster.moved();
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(100));
    EXPECT_EQ(b.cluster.moved(), moved);
    EXPECT_GT(b.cluster.outstanding(), 0u);
    EXPECT_TRUE(b.cluster.control(core::control_verb::enable));
    b.run();
    EXPECT_FALSE(b.cluster.control(core::control_verb::flush));
    b.expect(1, upper, 0, 0, 5000);
    b.expect_clean();
    b.expect_memories();
}

TEST(queue_pair_cluster, the_same_run_gives_the_same_statistics) {
    const auto report = [] {
        auto s = small_queue_pair_cluster(3);
        s.node.nic.loss.probability = 0.05;
        s.node.nic.retry_after = sim_time::from_us(20);
        queue_pair_bench b(s);
        b.cluster.connect_all(1);
        b.sim.run();
        for (unsigned n = 0; n < 3; ++n)
            b.start(n, [&b, n](wave w) -> gpu::kernel {
                for (std::uint32_t i = 1; i <= 10; ++i) {
                    const unsigned to = (n + 1) % 3;
                    const queue_pair_end& q = b.cluster.end(n, to);
                    co_await post(w, q, b.write(n, 0, to, upper, 100 * i, i), b.node(n).control_page());
                    co_await complete(w, q, i);
                }
            });
        b.run();
        return b.report();
    };
    const std::string first = report();
    EXPECT_EQ(first, report());
    EXPECT_THAT(first, HasSubstr("node2.failures"));
}

TEST(queue_pair_cluster, what_cannot_be_built_or_connected_is_an_error) {
    auto s = small_queue_pair_cluster(2);
    s.node.nic.queues = 2;
    queue_pair_bench b(s);
    EXPECT_THROW(b.cluster.connect(1, 1), std::invalid_argument);
    EXPECT_THROW(b.cluster.end(0, 1), std::out_of_range);
    b.cluster.connect_all(2);
    EXPECT_THROW(b.cluster.connect(0, 1), std::invalid_argument);
    EXPECT_THROW(b.node(0).reserve_host(1 << 20), std::invalid_argument);
    EXPECT_THROW(b.node(0).host_bytes(host_tree::host_base + (1 << 20) - 4, 8), std::out_of_range);
    EXPECT_THROW(b.node(0).register_host(host_tree::host_base, 2 << 20, {}), std::out_of_range);
    EXPECT_EQ(b.cluster.end(0, 1, 1).number, 1u);
    for (unsigned n = 0; n < 2; ++n)
        for (const auto& q : b.cluster.ends_of(n)) {
            EXPECT_EQ(q->node, n);
            EXPECT_EQ(b.cluster.ends_of(q->peer).at(q->peer_number)->peer_number, q->number);
        }

    s.network.receive_buffer = {4096};
    EXPECT_THAT(config::first_text(problems_of(s)), HasSubstr("network.receive_buffer: at least"));
    EXPECT_THROW(queue_pair_bench{s}, std::invalid_argument);
}

}  // namespace
