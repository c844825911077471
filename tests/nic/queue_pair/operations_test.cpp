// SPDX-License-Identifier: Apache-2.0
// Every operation, of every awkward size: all bytes of both memories are compared.
#include <set>

#include "nic/queue_pair/nic_bench.h"

using namespace contraflow;
using namespace contraflow::nic;
using nic::testing::bench;
using nic::testing::bench_spec;
using ::testing::ElementsAre;

namespace {

std::vector<work_status> statuses(const std::vector<queue_completion>& all) {
    std::vector<work_status> s;
    for (const auto& c : all) s.push_back(c.status);
    return s;
}

class sizes : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(queue_pair, sizes,
                         ::testing::Values(0, 1, 8, 63, 64, 65, 4095, 4096, 4097, 8192, 12289, 100'003, 1u << 20));

TEST_P(sizes, a_write_changes_exactly_its_bytes_and_completes_once) {
    bench b;
    b.connect(0, 2, 1, 5);
    for (const std::uint64_t from : {0u, 1u, 4093u})
        for (const std::uint64_t to : {0u, 4097u}) {
            b[0].fill(0, 1u << 21, from + 1);
            const auto before = b[1].bytes(0, 1u << 21);
            const auto mine = b[0].bytes(0, 1u << 21);
            b[0].put(2, b.write(0, from, 1, to, GetParam()));
            b.sim.run();
            auto expected = before;
            std::copy_n(mine.begin() + static_cast<long>(from), GetParam(), expected.begin() + static_cast<long>(to));
            EXPECT_TRUE(b[1].bytes(0, 1u << 21) == expected) << from << " to " << to;
            EXPECT_TRUE(b[0].bytes(0, 1u << 21) == mine);
            const auto ends = b[0].take(2);
            ASSERT_EQ(ends.size(), 1u);
            EXPECT_EQ(ends[0].status, work_status::done);
            EXPECT_EQ(ends[0].bytes, GetParam());
            EXPECT_EQ(ends[0].queue, 2u);
            EXPECT_EQ(ends[0].number, b[0].posted[2]);
        }
    EXPECT_TRUE(b[1].take(5).empty());
    b.sim.run();
    b.expect_clean();
}

TEST_P(sizes, a_read_brings_exactly_its_bytes) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[1].fill(0, 1u << 21, 9);
    const auto there = b[1].bytes(0, 1u << 21);
    for (const std::uint64_t from : {0u, 4095u})
        for (const std::uint64_t to : {3u, 8192u}) {
            b[0].fill(0, 1u << 21, to);
            auto expected = b[0].bytes(0, 1u << 21);
            b[0].put(0, b.read(0, to, 1, from, GetParam()));
            b.sim.run();
            std::copy_n(there.begin() + static_cast<long>(from), GetParam(), expected.begin() + static_cast<long>(to));
            EXPECT_TRUE(b[0].bytes(0, 1u << 21) == expected);
            EXPECT_THAT(statuses(b[0].take(0)), ElementsAre(work_status::done));
        }
    EXPECT_TRUE(b[1].bytes(0, 1u << 21) == there);
    b.sim.run();
    b.expect_clean();
}

TEST(operations, inline_data_comes_from_the_entry_and_is_read_only_with_it) {
    bench b;
    b.connect(0, 0, 1, 0);
    for (const std::uint32_t length : {0u, 1u, 8u, 32u}) {
        work_entry e = b.store(1, 4090 + length, 0, length);
        for (unsigned i = 0; i < length; ++i) e.data[i] = static_cast<std::uint8_t>(100 + i);
        b[0].put(0, e);
        b.sim.run();
        for (unsigned i = 0; i < length; ++i) EXPECT_EQ(b[1].at(4090 + length + i), 100 + i);
        EXPECT_THAT(statuses(b[0].take(0)), ElementsAre(work_status::done));
    }
    b.sim.run();
    b.expect_clean();
}

TEST(operations, an_entry_that_comes_with_its_doorbell_is_not_read_from_the_ring) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[0].push(0, b.store(1, 0, 0x55));
    std::memset(b[0].entry_at(0, 1), 0, work_entry_bytes);
    b.sim.run();
    EXPECT_EQ(b[1].word(0), 0x55u);
    const auto done = b[0].take(0);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, work_status::done);
    b.sim.run();
    b.expect_clean();
}

// The NIC keeps one entry: others of those that were pushed are read from the ring, and so are those that were not.
class pushed : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(pushed, entries_and_entries_that_are_rung_for_keep_their_order) {
    bench_spec s;
    s.nic.window = GetParam();
    s.nic.fetch = 2;
    s.nic.completions = 1;
    bench b(s);
    b.connect(0, 0, 1, 0);
    std::mt19937_64 draw(5);
    unsigned done = 0;
    for (unsigned round = 0; round < 40; ++round) {
        for (unsigned i = 0; i < 8; ++i) {
            const work_entry e = b.store(1, 8 * i, round * 8 + i + 1);
            switch (draw() % 3) {
            case 0: b[0].post(0, e); break;
            case 1: b[0].put(0, e); break;
            default: b[0].push(0, e); break;
            }
            if (draw() % 4 == 0) b.sim.run_to(b.sim.events().now() + sim_time::from_ns(draw() % 700));
        }
        b[0].ring(0);
        b.sim.run();
        for (const queue_completion& c : b[0].take(0)) {
            EXPECT_EQ(c.number, ++done);
            EXPECT_EQ(c.status, work_status::done);
        }
        for (unsigned i = 0; i < 8; ++i) ASSERT_EQ(b[1].word(8 * i), round * 8 + i + 1);
    }
    EXPECT_EQ(done, 320u);
    double pushed = 0, fetched = 0;
    for (const observe::stat_row& r : b.statistics.rows(b.sim.events().now())) {
        if (r.path.find("nic0.send.pushed") != std::string::npos) pushed += r.value;
        if (r.path.find("nic0.send.fetched") != std::string::npos) fetched += r.value;
    }
    EXPECT_GT(pushed, 20);
    EXPECT_EQ(pushed + fetched, 320);
    b.sim.run();
    b.expect_clean();
}
INSTANTIATE_TEST_SUITE_P(windows, pushed, ::testing::Values(1u, 3u, 32u));

TEST(operations, atomics_return_the_old_value_and_change_memory_at_the_target) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[1].set_word(64, 100);
    b[0].put(0, b.add(0, 0, 1, 64, 11));
    b[0].put(0, b.add(0, 8, 1, 64, std::uint64_t(0) - 1));
    b[0].put(0, b.swap(0, 16, 1, 64, 999, 5));  // not equal
    b[0].put(0, b.swap(0, 24, 1, 64, 110, 6));
    b[0].put(0, b.add(0, 32, 1, 64, 0));
    b.sim.run();
    EXPECT_EQ(b[0].word(0), 100u);
    EXPECT_EQ(b[0].word(8), 111u);
    EXPECT_EQ(b[0].word(16), 110u);
    EXPECT_EQ(b[0].word(24), 110u);
    EXPECT_EQ(b[0].word(32), 6u);
    EXPECT_EQ(b[1].word(64), 6u);
    EXPECT_EQ(b[0].take(0).size(), 5u);
    b.sim.run();
    b.expect_clean();
}

TEST(operations, atomics_of_many_queue_pairs_and_nodes_on_one_word_lose_none) {
    bench_spec s;
    s.nodes = 3;
    bench b(s);
    constexpr unsigned queues = 6, each = 20;
    for (unsigned q = 0; q < queues; ++q) {
        b.connect(0, q, 2, q);
        b.connect(1, q, 2, queues + q);
    }
    for (unsigned i = 0; i < each; ++i)
        for (unsigned q = 0; q < queues; ++q)
            for (unsigned n = 0; n < 2; ++n) b[n].put(q, b.add(n, 8 * (q * each + i), 2, 128, 1));
    b.sim.run();
    EXPECT_EQ(b[2].word(128), 2u * queues * each);
    std::set<std::uint64_t> seen;
    for (unsigned n = 0; n < 2; ++n)
        for (unsigned i = 0; i < queues * each; ++i) seen.insert(b[n].word(8 * i));
    EXPECT_EQ(seen.size(), 2u * queues * each);  // each old value once
    EXPECT_EQ(*seen.rbegin(), 2u * queues * each - 1);
    for (unsigned n = 0; n < 2; ++n)
        for (unsigned q = 0; q < queues; ++q) EXPECT_EQ(b[n].take(q).size(), each);
    b.sim.run();
    b.expect_clean();
}

// A register of any device is a target like memory: here a word of the other host's memory stands for it.
TEST(operations, a_remote_write_reaches_any_bus_address_that_is_registered) {
    bench b;
    b.connect(0, 0, 1, 0);
    const auto registers = b[1].driver->register_memory(
        {memory_space::host, 0x5000, {nic::testing::node::host_base}, 8, {.remote_write = true}});
    b.sim.run();
    work_entry e = b.store(1, 0, 0x1234);
    e.remote_address = 0x5000;
    e.remote_key = registers.remote_key;
    b[0].put(0, e);
    b.sim.run();
    EXPECT_EQ(b[1].memory[0], 0x34);
    EXPECT_EQ(b[1].memory[1], 0x12);
    EXPECT_THAT(statuses(b[0].take(0)), ElementsAre(work_status::done));
}

TEST(operations, regions_of_large_pages_translate_too) {
    bench b;
    b.connect(0, 0, 1, 0);
    std::vector<std::uint64_t> pages;
    for (const unsigned p : {3u, 1u, 2u, 0u}) pages.push_back(b[1].gpu_address(p << 16));
    const auto large = b[1].driver->register_memory({memory_space::gpu0, 0x10'0000, pages, 0, {.remote_write = true}});
    b.sim.run();
    b[0].fill(0, 200'000, 3);
    work_entry e = b.write(0, 0, 1, 0, 200'000);
    e.remote_address = 0x10'0000 + 777;
    e.remote_key = large.remote_key;
    b[0].put(0, e);
    b.sim.run();
    const auto sent = b[0].bytes(0, 200'000);
    for (std::uint32_t i = 0; i < 200'000; ++i) {
        const std::uint32_t at = i + 777;
        const unsigned page = std::array{3u, 1u, 2u, 0u}[at >> 16];
        ASSERT_EQ(b[1].gpu[(page << 16) + (at & 0xffff)], sent[i]) << i;
    }
}

TEST(operations, an_unsignalled_entry_has_no_completion_and_one_completion_tells_of_all_before) {
    bench b;
    b.connect(0, 0, 1, 0);
    for (unsigned i = 0; i < 10; ++i) {
        work_entry e = b.store(1, 8 * i, i);
        e.signalled = i == 9;
        b[0].post(0, e);
    }
    b[0].ring(0);
    b.sim.run();
    const auto all = b[0].take(0);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].number, 10u);
    for (unsigned i = 0; i < 10; ++i) EXPECT_EQ(b[1].word(8 * i), i);
    EXPECT_EQ(b[0].nic->sends().done(), 10u);
}

TEST(operations, rings_wrap_around_many_times) {
    bench_spec s;
    s.entries = 8;
    s.completions = 4;
    bench b(s);
    b.connect(0, 0, 1, 0);
    std::uint32_t completions = 0;
    for (unsigned round = 0; round < 50; ++round) {
        for (unsigned i = 0; i < 4; ++i) b[0].post(0, b.store(1, 8 * (round % 7), round * 4 + i));
        b[0].ring(0);
        b.sim.run();
        for (const auto& c : b[0].take(0)) EXPECT_EQ(c.number, ++completions);
        b.sim.run();
        EXPECT_EQ(b[1].word(8 * (round % 7)), round * 4 + 3);
    }
    EXPECT_EQ(completions, 200u);
    b.expect_clean();
}

// ---- order

TEST(order, what_one_queue_pair_writes_arrives_in_order_however_large) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[0].fill(0, 1u << 20, 5);
    b[1].watched->notes.clear();
    std::uint64_t at = 0;
    std::vector<std::uint64_t> expected;  // places of bytes in the GPU's memory, as they are written
    for (const std::uint32_t length : {5000u, 8u, 70'000u, 1u, 4096u, 300u}) {
        b[0].post(0, b.write(0, at, 1, at, length));
        for (std::uint32_t i = 0; i < length; ++i) expected.push_back(b[1].place(at + i));
        at += length;
        b[0].post(0, b.store(1, at, at));
        for (unsigned i = 0; i < 8; ++i) expected.push_back(b[1].place(at + i));
        at += 8;
    }
    b[0].ring(0);
    b.sim.run();
    std::vector<std::uint64_t> seen;
    for (const auto& n : b[1].watched->notes)
        for (std::uint32_t i = 0; i < n.length; ++i) seen.push_back(n.offset + i);
    EXPECT_TRUE(seen == expected);
}

TEST(order, a_completion_comes_after_the_data_that_was_read) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[1].fill(0, 50'000, 5);
    b[0].watched->notes.clear();
    b[0].put(0, b.read(0, 0, 1, 0, 50'000));
    b.sim.run();
    std::uint64_t bytes = 0;
    for (const auto& n : b[0].watched->notes) {
        if (n.offset < nic::testing::node::rings_at) {
            bytes += n.length;
            continue;
        }
        EXPECT_EQ(bytes, 50'000u);
    }
    EXPECT_EQ(bytes, 50'000u);
}

TEST(order, a_fence_waits_for_earlier_reads) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[1].fill(0, 100'000, 5);
    b[0].put(0, b.read(0, 0, 1, 0, 100'000));
    work_entry last = b.write(0, 99'992, 1, 200'000, 8);  // sends what the read has brought
    last.fence = true;
    b[0].put(0, last);
    b.sim.run();
    EXPECT_EQ(b[1].word(200'000), b[1].word(99'992));
    const auto& ends = b[0].ends;
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_GE(ends[1].at.sent, ends[0].at.answered);
}

TEST(order, the_acknowledgement_of_a_write_leaves_when_the_write_has_left_over_pcie) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[0].fill(0, 64, 1);
    b.sim.run();
    b[1].watched->blocked = true;  // there is credit for a few of the writes only
    b[0].put(0, b.write(0, 0, 1, 0, 131'072));
    b.sim.run_to(b.sim.events().now() + core::sim_time::from_us(100));
    EXPECT_TRUE(b[0].take(0).empty());
    EXPECT_THAT(b.waits(), ::testing::HasSubstr("an answer to packet"));
    EXPECT_THAT(b.waits(), ::testing::HasSubstr("writes to leave"));
    b[1].watched->blocked = false;
    b[1].gpu_side->resume(pcie::credit_class::posted);
    b.sim.run();
    EXPECT_THAT(statuses(b[0].take(0)), ElementsAre(work_status::done));
    EXPECT_TRUE(b[1].bytes(0, 131'072) == b[0].bytes(0, 131'072));
    b.sim.run();
    b.expect_clean();
}

TEST(operations, what_a_nic_counts_is_what_was_asked_of_it) {
    bench b;
    b.connect(0, 0, 1, 0);
    unsigned rung = 0;
    const auto put = [&](const work_entry& e) {
        b[0].put(0, e);
        ++rung;
        b.sim.run();
    };
    for (unsigned i = 0; i < 5; ++i) put(b.write(0, 0, 1, 8192 * i, 3 * 4096));  // three packets each
    for (unsigned i = 0; i < 3; ++i) put(b.read(0, 0, 1, 64 * i, 64));
    for (unsigned i = 0; i < 2; ++i) put(b.add(0, 0, 1, 64, 1));
    b[0].driver->doorbell(0, 1);  // overtaken by all
    ++rung;
    b.sim.run();
    std::map<std::string, double> asks, answers;
    for (const observe::stat_row& r : b.statistics.rows(b.sim.events().now()))
        for (const unsigned n : {0u, 1u})
            if (const std::string path = b[n].nic->function().name(); r.path.starts_with(path + "."))
                if (r.metric == "count") (n == 0 ? asks : answers)[r.path.substr(path.size() + 1)] = r.value;
    EXPECT_EQ(asks["send.doorbells"], rung);
    EXPECT_EQ(asks["send.announced"], 10);
    EXPECT_EQ(asks["send.done"], 10);
    EXPECT_EQ(asks["send.completions"], 10);
    EXPECT_EQ(asks["send.numbered"], 5 * 3 + 3 + 2);
    EXPECT_EQ(asks["send.retransmitted"], 0);
    EXPECT_EQ(answers["answer.requests"], 5 * 3 + 3 + 2);
    EXPECT_EQ(answers["answer.accepted"], 5 * 3 + 3 + 2);
    EXPECT_EQ(answers["answer.acknowledgements"], 5) << "one a write, when its last packet is in memory";
    EXPECT_EQ(answers["answer.atomics"], 2);
    EXPECT_EQ(answers["answer.out_of_order"], 0);
    EXPECT_EQ(answers["answer.duplicates"], 0);
    b.expect_clean();
}

double total(bench& b, const std::string& end) {
    double all = 0;
    for (const observe::stat_row& r : b.statistics.rows(b.sim.events().now()))
        if (r.metric == "count" && r.path.ends_with(end)) all += r.value;
    return all;
}

// The pages that the entries name, each of which is new once: the TLB has room for all.
TEST(operations, walks_are_counted_at_both_ends) {
    bench b;
    b.connect(0, 0, 1, 0);
    std::set<std::uint64_t> here, there;
    std::mt19937_64 draw(5);
    for (unsigned i = 0; i < 30; ++i) {
        const std::uint64_t from = draw() % 10 * node::page + draw() % 4000,
                            to = draw() % 14 * node::page + draw() % 4000;
        const auto length = static_cast<std::uint32_t>(1 + draw() % 9000);
        for (std::uint64_t at = from; at < from + length; ++at) here.insert(at / node::page);
        for (std::uint64_t at = to; at < to + length; ++at) there.insert(at / node::page);
        b[0].put(0, b.write(0, from, 1, to, length));
        b.sim.run();
    }
    ASSERT_LE(std::max(here.size(), there.size()), 32u);
    EXPECT_EQ(total(b, "nic0.read_tlb.walks"), here.size());
    EXPECT_EQ(total(b, "nic1.write_tlb.walks"), there.size());
    EXPECT_EQ(total(b, "nic1.read_tlb.walks"), 0);
    b.expect_clean();
}

// A region of two pages is withdrawn at every moment of a write to both; the bytes that stay as they were are counted.
TEST(operations, bytes_of_pages_that_are_taken_away_are_counted_as_unmapped) {
    constexpr std::uint32_t length = 2000, in_first = 1096;
    std::set<std::uint64_t> seen;
    for (std::uint64_t ns = 0; ns < 12'000; ns += 200) {
        bench_spec s;
        s.nic.table_latency = core::sim_time::from_us(1);  // of each of four levels
        bench b(s);
        b.connect(0, 0, 1, 0);
        const auto pages =
            b[1].driver->register_memory({memory_space::host,
                                          0x40'0000,
                                          {b[1].gpu_address(b[1].place(0)), b[1].gpu_address(b[1].place(node::page))},
                                          0,
                                          {true, true, true, true}});
        b.sim.run();
        b[0].fill(0, length, 3);
        std::vector<std::uint8_t> before = b[0].bytes(0, length);
        for (auto& byte : before) byte = static_cast<std::uint8_t>(~byte);
        for (std::uint32_t i = 0; i < length; ++i) b[1].at(node::page - in_first + i) = before[i];
        work_entry e = b.write(0, 0, 1, 0, length);
        e.remote_address = 0x40'0000 + node::page - in_first;
        e.remote_key = pages.remote_key;
        b[0].put(0, e);
        b.sim.run_to(b.sim.events().now() + core::sim_time::from_ns(ns));
        b[1].driver->deregister(pages);
        b.sim.run();
        const auto after = b[1].bytes(node::page - in_first, length);
        std::uint64_t unchanged = 0;
        for (std::uint32_t i = 0; i < length; ++i) unchanged += after[i] == before[i] ? 1 : 0;
        const auto done = b[0].take(0);
        ASSERT_EQ(done.size(), 1u);
        if (unchanged == length && total(b, ".unmapped") == 0) continue;  // it was refused before it began
        EXPECT_EQ(total(b, ".unmapped"), static_cast<double>(unchanged)) << ns << " ns";
        seen.insert(unchanged);
    }
    EXPECT_TRUE(seen.contains(0) && seen.contains(length - in_first)) << "a moment was not tried";
}

}  // namespace
