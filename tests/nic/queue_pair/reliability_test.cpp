// SPDX-License-Identifier: Apache-2.0
// Lost packets, resets, tiny buffers, control: nothing is lost, and nothing is done twice.
#include "nic/queue_pair/nic_bench.h"

using namespace contraflow;
using namespace contraflow::nic;
using core::sim_time;
using nic::testing::bench;
using nic::testing::bench_spec;
using nic::testing::node;

namespace {

// Both nodes do everything to each other on several queue pairs, each in its own part of the memories: writes, reads,
// and additions to one word.
struct exchange {
    static constexpr std::uint64_t part = 1u << 18, words_at = 3u << 20;
    static constexpr unsigned queues = 3;
    explicit exchange(const bench_spec& s, unsigned messages) : b(s), count(messages) {
        for (unsigned q = 0; q < queues; ++q) b.connect(0, q, 1, q);
    }
    void post() {
        std::mt19937_64 draw(17);
        for (unsigned n = 0; n < 2; ++n) {
            b[n].fill(0, 1u << 21, 100 + n);
            b[n].watched->notes.clear();
        }
        for (unsigned n = 0; n < 2; ++n) {
            node& there = b[1 - n];
            for (unsigned q = 0; q < queues; ++q) {
                std::uint64_t at = q * part;
                for (unsigned i = 0; i < count; ++i) {
                    const auto length = static_cast<std::uint32_t>(1 + draw() % 9000);
                    // Sources are in the lower MiB, targets above it.
                    switch (draw() % 4) {
                    case 0:
                        b[n].post(q, b.read(n, (1u << 20) + at, 1 - n, at, length));
                        expect(b[n], (1u << 20) + at, there.bytes(at, length));
                        break;
                    case 1:
                        b[n].post(q, b.add(n, words_at + 8 * (n * 4096 + q * 1024 + i), 1 - n, words_at - 64, 1));
                        ++additions[1 - n];
                        break;
                    default:
                        b[n].post(q, b.write(n, at, 1 - n, (1u << 20) + part * queues + at, length));
                        expect(there, (1u << 20) + part * queues + at, b[n].bytes(at, length));
                        written[1 - n] += length;
                        break;
                    }
                    at += length;
                }
                b[n].ring(q);
            }
        }
    }
    void expect(node& n, std::uint64_t at, std::vector<std::uint8_t> bytes) {
        expected.push_back({&n, at, std::move(bytes)});
    }
    void check() {
        for (unsigned n = 0; n < 2; ++n) {
            EXPECT_EQ(b[n].word(words_at - 64), additions[n]);
            std::uint64_t writes = 0;
            for (const auto& note : b[n].watched->notes) writes += of_writes(n, note.offset) ? note.length : 0;
            EXPECT_EQ(writes, written[n]);  // each byte once
            for (unsigned q = 0; q < queues; ++q) {
                const auto all = b[n].take(q);
                ASSERT_EQ(all.size(), count);
                for (unsigned i = 0; i < count; ++i) {
                    ASSERT_EQ(all[i].status, work_status::done) << to_text(all[i].status);
                    EXPECT_EQ(all[i].number, i + 1);
                }
            }
        }
        for (const auto& [n, at, bytes] : expected) ASSERT_TRUE(n->bytes(at, bytes.size()) == bytes) << at;
        b.sim.run();
        b.expect_clean();
    }
    bool of_writes(unsigned n, std::uint64_t offset) {
        if (offset >= node::data_bytes) return false;
        if (page_of.empty())
            for (unsigned m = 0; m < 2; ++m)
                for (std::uint64_t p = 0; p < b[m].pages.size(); ++p) page_of[{m, b[m].pages[p]}] = p;
        const std::uint64_t at = page_of[{n, offset / node::page}] * node::page + offset % node::page;
        return at >= (1u << 20) + part * queues && at < words_at - 64;
    }
    std::uint64_t again() { return b[0].nic->sends().retransmitted() + b[1].nic->sends().retransmitted(); }
    std::uint64_t lost() { return b[0].nic->network().lost() + b[1].nic->network().lost(); }

    bench b;
    const unsigned count;
    struct target {
        node* of;
        std::uint64_t at;
        std::vector<std::uint8_t> bytes;
    };
    std::vector<target> expected;
    std::array<std::uint64_t, 2> additions{}, written{};
    std::map<std::pair<unsigned, std::uint64_t>, std::uint64_t> page_of;
};

bench_spec lossy(double probability, std::uint32_t burst, std::uint64_t seed) {
    bench_spec s;
    s.nic.loss = {probability, burst, seed, {}};
    s.nic.retry_after = sim_time::from_us(40);
    s.nic.retries = 50;
    return s;
}

TEST(reliability, without_loss_nothing_is_sent_twice) {
    exchange e({}, 40);
    e.post();
    e.b.sim.run();
    e.check();
    EXPECT_EQ(e.again(), 0u);
    for (unsigned n = 0; n < 2; ++n) {
        EXPECT_EQ(e.b[n].nic->answers().duplicates(), 0u);
        EXPECT_EQ(e.b[n].nic->answers().refusals(), 0u);
        EXPECT_EQ(e.b[n].nic->sends().timeouts(), 0u);
    }
}

class losses : public ::testing::TestWithParam<std::tuple<double, unsigned, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(reliability, losses,
                         ::testing::Values(std::tuple{0.01, 1u, 1u}, std::tuple{0.01, 1u, 2u}, std::tuple{0.01, 1u, 3u},
                                           std::tuple{0.01, 12u, 4u}, std::tuple{0.1, 1u, 5u}, std::tuple{0.1, 1u, 6u},
                                           std::tuple{0.1, 4u, 7u}, std::tuple{0.3, 1u, 8u}));

TEST_P(losses, everything_is_done_once_and_in_order) {
    exchange e(lossy(std::get<0>(GetParam()), std::get<1>(GetParam()), std::get<2>(GetParam())), 40);
    e.post();
    e.b.sim.run();
    e.check();
    EXPECT_GT(e.lost(), 0u);
    EXPECT_GT(e.again(), 0u);
}

// Each packet of a short exchange is lost in its turn, at both nodes: requests, answers, acknowledgements, refusals.
TEST(reliability, any_one_packet_may_be_lost) {
    exchange whole({}, 4);
    whole.post();
    whole.b.sim.run();
    const std::uint64_t packets = std::max(whole.b[0].nic->network().arrived(), whole.b[1].nic->network().arrived());
    ASSERT_GT(packets, 25u);
    for (std::uint64_t k = 0; k < packets; ++k) {
        bench_spec s = lossy(0, 1, 1);
        s.nic.loss.packets = {k};
        exchange e(s, 4);
        e.post();
        e.b.sim.run();
        e.check();
        if (HasFailure()) FAIL() << "packet " << k;
        EXPECT_GE(e.lost(), 1u);
    }
}

TEST(reliability, a_missing_packet_is_asked_for_before_the_timeout) {
    bench_spec s = lossy(0, 1, 1);
    s.nic.loss.packets = {4};  // fewer responses arrive, so none is lost
    s.nic.retry_after = sim_time::from_us(10'000);
    bench b(s);
    b.connect(0, 0, 1, 0);
    b[0].fill(0, 100'000, 1);
    const sim_time begin = b.sim.events().now();
    b[0].put(0, b.write(0, 0, 1, 0, 100'000));
    b.sim.run();
    ASSERT_EQ(b[0].take(0).size(), 1u);
    EXPECT_LT((b[0].ends[0].at.completed - begin).ps, sim_time::from_us(30).ps);
    EXPECT_EQ(b[0].nic->sends().timeouts(), 0u);
    EXPECT_GE(b[1].nic->answers().refusals(), 1u);
    EXPECT_TRUE(b[1].bytes(0, 100'000) == b[0].bytes(0, 100'000));
}

TEST(reliability, an_end_that_does_not_answer_fails_the_entry_after_all_retries) {
    bench_spec s;
    s.nic.retry_after = sim_time::from_us(20);
    s.nic.retries = 3;
    bench b(s);
    const auto r = b[0].rings_of(0);
    b[0].driver->open(0, {r.entries_at, r.completions_at, r.entries, r.completions, 1, 0, 5, 5});  // not at node 1
    b[0].put(0, b.store(1, 0, 1));
    b[0].put(0, b.store(1, 8, 2));
    b.sim.run();
    const auto all = b[0].take(0);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].status, work_status::retries_exceeded);
    EXPECT_EQ(all[1].status, work_status::flushed);
    EXPECT_EQ(b[0].nic->sends().timeouts(), 4u);
    const auto& at = b[0].ends[0].at;
    EXPECT_GE((at.completed - at.sent).ps, sim_time::from_us(80).ps);
    EXPECT_LT((at.completed - at.sent).ps, sim_time::from_us(82).ps);
    EXPECT_EQ(b[1].word(0), 0u);
    EXPECT_EQ(b[0].failures, 1u);
    b.sim.run();
    b.expect_clean();
}

bench_spec smallest() {
    bench_spec s;
    s.nic.fetch = s.nic.window = s.nic.reads = 1;
    s.nic.send_packets = s.nic.answer_packets = s.nic.gather = s.nic.scatter = s.nic.completions = 1;
    s.nic.request_buffer = s.nic.response_buffer = s.nic.tlb = 1;
    s.nic.acknowledge_every = 1;
    s.network.queue = 1;
    s.network.receive_buffer = {8192};
    s.fabric.tags = 1;
    s.fabric.posted_headers = s.fabric.non_posted_headers = 1;
    s.fabric.posted_data = s.fabric.completion_data = {256};
    return s;
}

TEST(reliability, the_smallest_buffers_only_cost_time) {
    exchange e(smallest(), 30);
    e.post();
    e.b.sim.run();
    e.check();
    EXPECT_EQ(e.again(), 0u);
}

TEST(reliability, the_smallest_buffers_and_loss_together) {
    bench_spec s = smallest();
    s.nic.loss = {0.05, 2, 3, {}};
    s.nic.retry_after = sim_time::from_us(200);
    s.nic.retries = 100;
    exchange e(s, 20);
    e.post();
    e.b.sim.run();
    e.check();
    EXPECT_GT(e.again(), 0u);
}

// Timeouts that are too short send everything several times. The shortest are over before a packet's payload is here,
// and before its answer: a packet is sent again all the same, and what answers its first copy counts.
TEST(reliability, repeated_requests_are_done_once) {
    for (const unsigned us : {1u, 2u, 3u, 5u}) {
        bench_spec s;
        s.nic.retry_after = sim_time::from_us(us);
        s.nic.retries = 255;
        exchange e(s, 20);
        e.post();
        e.b.sim.run();
        e.check();
        if (HasFailure()) FAIL() << us << " us";
        EXPECT_GT(e.again(), 10u);
        EXPECT_GT(e.b[0].nic->answers().duplicates(), 0u);
    }
}

// A timeout ends between two acknowledgements when many queue pairs share the wire. What has arrived until then counts,
// so that the next try begins behind it.
TEST(reliability, queue_pairs_whose_packets_are_far_apart_go_on_from_where_they_were) {
    constexpr unsigned queues = 8;
    constexpr std::uint32_t length = 1u << 18;
    bench_spec s;
    s.nic.acknowledge_every = 64;
    s.nic.retry_after = sim_time::from_us(60);  // 64 packets of each of the eight take 170 us
    bench b(s);
    b[0].fill(0, length, 5);
    for (unsigned q = 0; q < queues; ++q) b.connect(0, q, 1, q);
    for (unsigned q = 0; q < queues; ++q) {
        b[0].post(q, b.write(0, 0, 1, std::uint64_t{length} * q, length));
        b[0].ring(q);
    }
    b.sim.run();
    EXPECT_GT(b[0].nic->sends().retransmitted(), 0u);
    for (unsigned q = 0; q < queues; ++q) {
        const auto all = b[0].take(q);
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(all[0].status, work_status::done) << to_text(all[0].status);
        EXPECT_TRUE(b[1].bytes(std::uint64_t{length} * q, length) == b[0].bytes(0, length)) << q;
    }
    b.sim.run();
    b.expect_clean();
}

TEST(reliability, a_reset_in_any_state_leaks_nothing_and_leaves_all_as_new) {
    std::mt19937_64 draw(3);
    for (unsigned round = 0; round < 25; ++round) {
        bench_spec s = round % 3 == 0 ? smallest() : lossy(round % 3 == 1 ? 0 : 0.05, 1, round);
        if (round % 3 == 0) s.nic.retry_after = sim_time::from_us(200);
        exchange e(s, 30);
        e.post();
        e.b.sim.run_to(e.b.sim.events().now() + sim_time{1 + draw() % 60'000'000});
        e.b.reset();
        EXPECT_EQ(e.b.net->packets().packets(), 0u);
        e.b.expect_clean();
        if (round % 4 == 0) e.b.sim.run();  // callbacks armed before must do nothing
        e.expected.clear();
        e.additions = e.written = {};
        for (unsigned n = 0; n < 2; ++n) {
            std::fill(e.b[n].gpu.begin(), e.b[n].gpu.end(), std::uint8_t{0});
            e.b[n].open_again();
        }
        for (unsigned q = 0; q < exchange::queues; ++q) e.b.connect(0, q, 1, q);
        e.post();
        e.b.sim.run();
        e.check();
        if (HasFailure()) FAIL() << "round " << round;
    }
}

TEST(reliability, the_same_run_gives_the_same_statistics_and_another_seed_does_not) {
    const auto report = [](std::uint64_t seed) {
        exchange e(lossy(0.02, 1, seed), 30);
        e.post();
        e.b.sim.run();
        return e.b.report();
    };
    const std::string first = report(1);
    EXPECT_EQ(first, report(1));
    EXPECT_NE(first, report(2));
}

TEST(control, a_drained_nic_ends_what_it_has_fetched_and_fetches_no_more) {
    bench b;
    b.connect(0, 0, 1, 0);
    for (unsigned i = 0; i < 40; ++i) b[0].post(0, b.store(1, 8 * i, i + 1));
    b[0].ring(0);
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(2));
    EXPECT_TRUE(b[0].nic->control(core::control_verb::drain));
    b.sim.run();
    const auto some = b[0].take(0).size();
    EXPECT_LT(some, 40u);
    EXPECT_GT(some, 0u);
    b.sim.run();
    EXPECT_TRUE(b[0].nic->control(core::control_verb::enable));
    b.sim.run();
    EXPECT_EQ(some + b[0].take(0).size(), 40u);
    for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(b[1].word(8 * i), i + 1);
    EXPECT_FALSE(b[0].nic->control(core::control_verb::flush));
    EXPECT_FALSE(b[0].nic->control(core::control_verb::invalidate));
}

TEST(control, an_entry_that_came_with_its_doorbell_begins_when_a_drained_nic_is_enabled) {
    bench b;
    b.connect(0, 0, 1, 0);
    EXPECT_TRUE(b[0].nic->control(core::control_verb::drain));
    b[0].push(0, b.store(1, 0, 7));
    b.sim.run();
    EXPECT_EQ(b[1].word(0), 0u);
    EXPECT_TRUE(b[0].nic->control(core::control_verb::enable));
    b.sim.run();
    EXPECT_EQ(b[1].word(0), 7u);
}

// Its place in the window had an entry that PCIe answered with an error.
TEST(control, an_entry_that_came_with_its_doorbell_is_not_taken_for_an_earlier_one_that_failed) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[0].watched->fails = true;
    b[0].put(0, b.store(1, 0, 7));
    b.sim.run();
    ASSERT_EQ(b[0].ends.size(), 1u);
    EXPECT_NE(b[0].ends[0].status, work_status::done);
    b[0].watched->fails = false;
    b[0].take(0);
    b[0].posted.clear();
    b[0].taken.clear();
    b.sim.run();
    b.connect(0, 0, 1, 0);
    b[0].push(0, b.store(1, 0, 8));
    b.sim.run();
    ASSERT_EQ(b[0].ends.size(), 2u);
    EXPECT_EQ(b[0].ends[1].status, work_status::done) << to_text(b[0].ends[1].status);
    EXPECT_EQ(b[1].word(0), 8u);
}

TEST(control, a_paused_nic_moves_nothing_over_pcie_until_it_is_enabled) {
    bench b;
    b.connect(0, 0, 1, 0);
    EXPECT_TRUE(b[0].nic->control(core::control_verb::pause));
    b[0].put(0, b.store(1, 0, 7));
    b.sim.run();
    EXPECT_EQ(b[1].word(0), 0u);
    EXPECT_TRUE(b[0].nic->control(core::control_verb::enable));
    b.sim.run();
    EXPECT_EQ(b[1].word(0), 7u);
    EXPECT_EQ(b[0].take(0).size(), 1u);
}

// A hang names who waits for what.
TEST(control, a_queue_pair_that_waits_says_for_what) {
    bench_spec s;
    s.nic.retry_after = sim_time::from_us(10'000);
    bench b(s);
    b.connect(0, 3, 1, 4);
    b[1].nic->control(core::control_verb::pause);
    b[1].watched->blocked = true;
    b[0].fill(0, 1u << 20, 1);
    b[0].put(3, b.write(0, 0, 1, 0, 1u << 20));
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(200));
    EXPECT_THAT(b.waits(), ::testing::ContainsRegex("send.queue\\[3\\] waits for an answer to packet [0-9]+ by queue "
                                                    "pair 4 of node 1"));
    b[1].watched->blocked = false;
    b[1].nic->control(core::control_verb::enable);
    b.sim.run();
    EXPECT_TRUE(b[1].bytes(0, 1u << 20) == b[0].bytes(0, 1u << 20));
    EXPECT_EQ(b[0].take(3).size(), 1u);
    b.sim.run();
    b.expect_clean();
}

}  // namespace
