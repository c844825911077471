// SPDX-License-Identifier: Apache-2.0
// Faults and bad input of nodes that put to one another: what is lost is told, and nothing is read or written outside
// of what is registered.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "host/cluster/cluster_bench.h"
#include "host/cluster/gpu_reset.h"

namespace faults_test {

using namespace contraflow;
using core::sim_time;
using host::rdma_cluster;
using host::rdma_process;
using host::testing::cluster_bench;
using host::testing::receive_all;
using host::testing::receive_for_ever;
using host::testing::send_all;
using host::testing::send_whatever;
using host::testing::small_cluster;
using nic::completion_record;
using nic::memory_space;
using nic::transmit_status;

using program = gpu::host_task;

// A put of which nobody knows what will become of it: nothing is expected.
rdma_process::put_request raw_put(cluster_bench& b, std::uint64_t from, unsigned target, std::uint64_t to,
                                  std::uint32_t length, std::uint16_t tag) {
    return {from >= b.gpu_from ? memory_space::gpu0 : memory_space::host,
            from,
            b.cluster.position(target),
            to,
            length,
            tag};
}

// ---- completions and GPUs

// The move of the GPU's window takes long, so data waits at the GPU while a completion could come to the host.
std::size_t stale_bytes_at_completion(bool flush, double& us) {
    rdma_cluster::spec s = small_cluster({2});
    s.node.gpu.values.window_move = sim_time::from_us(10);
    s.node.port.flush = flush;
    cluster_bench b(s);
    std::size_t stale = 0;
    sim_time at{};
    const auto receiver = [](cluster_bench& of, std::size_t& wrong, sim_time& when) -> program {
        co_await of.process(1).receive();
        when = of.sim.events().now();
        const auto sent = of.memory.read(0, of.host_from, 100), here = of.memory.read(1, of.gpu_to, 100);
        for (std::size_t i = 0; i < sent.size(); ++i) wrong += sent[i] != here[i];
    };
    b.process(1).start(receiver(b, stale, at));
    const sim_time begin = b.sim.events().now();
    b.process(0).start(send_all(b.process(0), {b.put(0, b.host_from, 1, b.gpu_to, 100, 1)}));
    b.run();
    b.expect_finished();
    b.expect_memories();  // in the end
    b.expect_clean();
    us = (at - begin).seconds() * 1e6;
    return stale;
}

TEST(cluster_faults, a_completion_does_not_pass_the_data_in_a_gpu_that_it_announces) {
    double with = 0, without = 0;
    EXPECT_EQ(stale_bytes_at_completion(true, with), 0u);
    EXPECT_GT(stale_bytes_at_completion(false, without), 90u) << "the rule is needed";
    EXPECT_GT(with, without + 5);
}

TEST(cluster_faults, the_rule_costs_a_read_of_the_gpu_and_completions_of_the_host_nothing) {
    const auto us = [](bool flush, bool to_gpu) {
        rdma_cluster::spec s = small_cluster({2});
        s.node.gpu.values.window_move = sim_time::from_ns(100);  // the read waits for the data, which waits for that
        s.node.port.flush = flush;
        cluster_bench b(s);
        sim_time at{};
        b.process(1).start(([](cluster_bench& of, sim_time& when) -> program {
            co_await of.process(1).receive();
            when = of.sim.events().now();
        })(b, at));
        const sim_time begin = b.sim.events().now();
        b.process(0).start(send_all(b.process(0), {b.put(0, b.host_from, 1, b.to_of(to_gpu), 32, 1)}));
        b.run();
        EXPECT_EQ(b.cluster.node(1).nic().port().flushes(), flush && to_gpu ? 1u : 0u);
        return (at - begin).seconds() * 1e6;
    };
    EXPECT_EQ(us(true, false), us(false, false));
    const double with = us(true, true), without = us(false, true);
    std::printf("32 bytes into a GPU: %.3f us, without the read %.3f us\n", with, without);
    EXPECT_GT(with - without, 0.2);
    EXPECT_LT(with - without, 1.5);
}

TEST(cluster_faults, data_that_a_gpu_refuses_is_told_with_its_completion) {
    cluster_bench b(small_cluster({2}));
    // The GPU takes one page back; the others stay.
    const std::uint64_t page = b.memory.buffer(1, b.gpu_to).pages[1];
    b.cluster.node(1).gpu().memory().let(page, 1, 0);
    std::vector<completion_record> got;
    std::vector<transmit_status> how;
    b.process(1).start(receive_all(b.process(1), 3, got));
    b.process(0).start(send_whatever(b.process(0),
                                     {b.put(0, b.host_from, 1, b.gpu_to + 100, 5000, 1),
                                      raw_put(b, b.host_from, 1, b.gpu_to + gpu::peer_page + 100, 5000, 2),
                                      b.put(0, b.host_from, 1, b.gpu_to + 9000, 5000, 3)},
                                     how));
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    EXPECT_FALSE(got[0].refused);
    EXPECT_TRUE(got[1].refused);
    b.process(1).start(receive_all(b.process(1), 4, got));
    b.process(0).start(send_all(b.process(0), {b.put(0, b.host_from, 1, b.gpu_to + 20'000, 5000, 4)}));
    b.run();
    EXPECT_FALSE(got[3].refused);
    b.expect_memories();
    EXPECT_GT(b.cluster.node(1).nic().port().refused(), 5000u / 128);
}

TEST(cluster_faults, a_gpu_that_is_reset_in_the_midst_loses_nothing_unsaid) {
    cluster_bench b(host::testing::impatient_cluster());
    host::testing::reset_gpu_in_the_midst(b);
}

// ---- removed translations

// A node's buffer is removed while puts into it are under way: nothing is written after the acknowledgement.
class removal : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(cluster_faults, removal, ::testing::Bool(),
                         [](const auto& p) { return p.param ? std::string("gpu") : std::string("host"); });

TEST_P(removal, nothing_is_written_after_it_is_acknowledged) {
    const std::uint64_t to = cluster_bench::to_of(GetParam());
    for (const unsigned delay : {7u, 12u, 23u}) {  // us
        cluster_bench b(small_cluster({2}));
        std::vector<rdma_process::put_request> puts;
        for (std::uint16_t i = 0; i < 16; ++i)
            puts.push_back(raw_put(b, b.host_from + i * 4096u, 1, to + i * 8192u, 8192, i));
        std::vector<transmit_status> how;
        std::vector<completion_record> got;
        b.process(1).start(receive_for_ever(b.process(1), got));
        b.process(0).start(send_whatever(b.process(0), puts, how));
        std::vector<std::uint8_t> at_end;
        const auto image = [to](cluster_bench& of) {
            std::vector<std::uint8_t> all;
            for (std::uint64_t at = 0; at < of.bytes; at += 4096) {
                const auto page = of.memory.read(1, to + at, 4096);
                all.insert(all.end(), page.begin(), page.end());
            }
            return all;
        };
        const auto before = image(b);
        b.process(1).start(([](cluster_bench& of, sim_time wait, unsigned handle, std::vector<std::uint8_t>& all,
                               auto picture) -> program {
            co_await of.process(1).work(wait);
            co_await of.process(1).deregister(handle);
            all = picture(of);
        })(b, sim_time::from_us(delay), GetParam() ? 3u : 1u, at_end, image));
        b.run();
        ASSERT_FALSE(at_end.empty());
        EXPECT_NE(at_end, before) << "some had been written";
        EXPECT_EQ(image(b), at_end) << "and nothing after that, " << delay << " us";
        EXPECT_GT(b.cluster.node(1).nic().drops().size(), 3u);
        // Nothing else has changed.
        for (std::uint64_t at = 0; at < b.bytes; at += 4096)
            b.memory.write(1, to + at, std::span(at_end).subspan(at, 4096));
        b.expect_memories();
        b.expect_clean();
    }
}

// Data has left the NIC and waits at the GPU, whose window moves for each packet.
TEST(cluster_faults, the_end_of_a_removal_waits_for_data_that_a_gpu_holds_back) {
    for (unsigned delay = 5; delay < 12; ++delay) {  // us
        rdma_cluster::spec s = small_cluster({2});
        s.node.gpu.values.window_move = sim_time::from_us(3);
        cluster_bench b(s);
        std::vector<rdma_process::put_request> puts;
        for (std::uint16_t i = 0; i < 16; ++i)
            puts.push_back(raw_put(b, b.host_from + i * 100u, 1, b.gpu_to + i % 4 * gpu::peer_page + i * 200u, 100, i));
        std::vector<transmit_status> how;
        std::vector<completion_record> got;
        b.process(1).start(receive_for_ever(b.process(1), got));
        b.process(0).start(send_whatever(b.process(0), puts, how));
        const auto memory_of = [](cluster_bench& of) {
            const auto all = of.cluster.node(1).gpu_memory();
            return std::vector<std::uint8_t>(all.begin(), all.end());
        };
        std::vector<std::uint8_t> at_end;
        b.process(1).start(
            ([](cluster_bench& of, sim_time wait, std::vector<std::uint8_t>& all, auto copy_of) -> program {
                co_await of.process(1).work(wait);
                co_await of.process(1).deregister(3);
                all = copy_of(of);
            })(b, sim_time::from_us(delay), at_end, memory_of));
        b.run();
        EXPECT_EQ(memory_of(b), at_end) << delay << " us";
        b.expect_clean();
    }
}

// A node's buffer is removed while it is sent: what the program writes there afterwards never leaves.
TEST_P(removal, nothing_is_read_after_it_is_acknowledged) {
    const std::uint64_t from = cluster_bench::from_of(GetParam());
    for (const unsigned delay : {10u, 15u, 30u}) {  // us
        rdma_cluster::spec s = small_cluster({2});
        s.node.transmit.generation = delay == 15 ? nic::gpu_generation::v3 : nic::gpu_generation::v2;
        cluster_bench b(s);
        constexpr std::uint32_t length = 70'000;
        std::vector<std::uint8_t> sent, old;
        for (std::uint64_t at = 0; at + 4096 <= b.bytes; at += 4096) {
            const auto s0 = b.memory.read(0, from + at, 4096), t0 = b.memory.read(1, b.host_to + at, 4096);
            sent.insert(sent.end(), s0.begin(), s0.end());
            old.insert(old.end(), t0.begin(), t0.end());
        }
        std::vector<rdma_process::put_request> puts;
        for (std::uint16_t i = 0; i < 3; ++i)
            puts.push_back(raw_put(b, from + i * length, 1, b.host_to + i * length, length, i));
        std::vector<transmit_status> how;
        std::vector<completion_record> got;
        b.process(1).start(receive_for_ever(b.process(1), got));
        b.process(0).start(send_whatever(b.process(0), puts, how));
        bool removed = false;
        b.process(0).start(([](cluster_bench& of, sim_time wait, unsigned handle, std::uint64_t base,
                               const std::vector<std::uint8_t>& was, bool& done) -> program {
            co_await of.process(0).work(wait);
            co_await of.process(0).deregister(handle);
            for (std::size_t at = 0; at < was.size(); at += 4096) {
                std::vector<std::uint8_t> other(was.begin() + static_cast<long>(at),
                                                was.begin() + static_cast<long>(at) + 4096);
                for (auto& byte : other) byte = static_cast<std::uint8_t>(~byte);
                of.memory.write(0, base + at, other);
            }
            done = true;
        })(b, sim_time::from_us(delay), GetParam() ? 2u : 0u, from, sent, removed));
        b.run();
        ASSERT_TRUE(removed);
        ASSERT_EQ(how.size(), puts.size());
        // The driver has translated the host's memory, and keeps it until all has left.
        if (GetParam()) {
            EXPECT_EQ(how.back(), transmit_status::not_registered);
        } else {
            EXPECT_EQ(how, std::vector<transmit_status>(puts.size()));
        }
        std::size_t arrived = 0;
        for (std::uint64_t at = 0; at < old.size(); at += 4096) {
            const auto here = b.memory.read(1, b.host_to + at, 4096);
            std::vector<std::uint8_t> now(here.begin(), here.end());
            for (std::size_t i = 0; i < now.size(); ++i) {
                arrived += now[i] == sent[at + i] && now[i] != old[at + i];
                ASSERT_TRUE(now[i] == old[at + i] || now[i] == sent[at + i]) << "read too late: " << at + i;
            }
            b.memory.write(1, b.host_to + at, now);
        }
        EXPECT_GT(arrived, 2000u);
        b.expect_memories();
        b.expect_clean();
    }
}

// ---- buffers

TEST(cluster_faults, a_buffer_that_ends_within_a_page_or_is_read_only_takes_nothing_beyond) {
    cluster_bench b(small_cluster({2}));
    std::vector<transmit_status> how;
    std::vector<completion_record> got;
    constexpr std::uint64_t short_base = 0x3000'0000'0000, only_base = 0x4000'0000'0000;
    auto shorter = b.memory.buffer(1, b.host_to), only = shorter;
    shorter.base = short_base;
    shorter.length = 4096 + 1000;
    only.base = only_base;
    only.writable = false;
    b.process(1).register_memory(shorter);
    b.process(1).register_memory(only);
    auto whole = only;
    whole.length = only.pages.size() * 4096 + 1;
    EXPECT_THROW(b.process(1).register_memory(whole), std::invalid_argument);
    b.sim.run();
    // The same pages have their first address too, where what may be written is expected.
    auto fits = b.put(0, b.host_from, 1, b.host_to + 4096, 1000, 1);
    fits.to = short_base + 4096;
    b.process(1).start(receive_all(b.process(1), 1, got));
    b.process(0).start(send_whatever(b.process(0),
                                     {raw_put(b, b.host_from, 1, short_base + 4096, 1001, 2),
                                      raw_put(b, b.host_from, 1, short_base + 5096, 1, 3),
                                      raw_put(b, b.host_from, 1, only_base, 100, 4), fits},
                                     how));
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    using enum nic::drop_reason;
    const auto& drops = b.cluster.node(1).nic().drops();
    ASSERT_EQ(drops.size(), 3u);
    EXPECT_EQ(drops[0].reason, bounds);
    EXPECT_EQ(drops[1].reason, no_buffer);
    EXPECT_EQ(drops[2].reason, access);
    EXPECT_EQ(got[0].tag, 1);
}

// ---- links

TEST(cluster_faults, damaged_words_and_tlps_are_sent_again_and_all_data_is_right) {
    rdma_cluster::spec s = small_cluster({4});
    s.torus.error_rate = 0.002;
    s.node.fabric.faults.bit_error_rate = 2e-6;
    s.node.fabric.faults.corrupt = {{"nic.up", pcie::packet_type::tlp, 3}, {"gpu.down", pcie::packet_type::tlp, 4}};
    cluster_bench b(s);
    std::vector<std::vector<completion_record>> got(4);
    for (unsigned n = 0; n < 4; ++n) {
        std::vector<rdma_process::put_request> puts;
        for (std::uint16_t i = 0; i < 4; ++i)
            puts.push_back(
                b.put(n, b.from_of(i % 2 != 0) + i * 9000u, (n + 1) % 4, b.to_of(i / 2 != 0) + i * 9000u, 8500, i));
        b.process(n).start(receive_all(b.process(n), puts.size(), got[n]));
        b.process(n).start(send_all(b.process(n), puts));
    }
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    std::uint64_t damaged = 0;
    for (const auto* l : b.cluster.torus().links()) damaged += l->protection().damaged();
    EXPECT_GT(damaged, 5u);
    for (unsigned n = 0; n < 4; ++n)
        EXPECT_THAT(b.cluster.node(n).tree().unmet_faults(b.sim.events().now()), ::testing::IsEmpty()) << n;
}

// ---- counters

TEST(cluster_faults, a_driver_reads_what_a_nic_has_counted) {
    cluster_bench b(small_cluster({2}));
    std::vector<completion_record> got;
    std::vector<std::uint32_t> counters;
    b.process(1).start(([](cluster_bench& of, std::vector<std::uint32_t>& all) -> program {
        for (unsigned i = 0; i < 3; ++i) co_await of.process(1).receive();
        for (const unsigned number : {0u, 2u, 3u, 4u + static_cast<unsigned>(nic::drop_reason::no_buffer)})
            all.push_back(co_await of.process(1).read_counter(number));
    })(b, counters));
    std::vector<transmit_status> how;
    b.process(0).start(
        send_whatever(b.process(0),
                      {b.put(0, b.host_from, 1, b.host_to, 5000, 1), raw_put(b, b.host_from, 1, 4096, 9, 2),
                       b.put(0, b.host_from, 1, b.gpu_to, 100, 3), b.put(0, b.host_from, 1, b.gpu_to + 200, 7, 4)},
                      how));
    b.run();
    b.expect_finished();
    b.expect_memories();
    // 5000 bytes are two packets.
    EXPECT_EQ(counters, (std::vector<std::uint32_t>{4, 5107, 0, 1}));
}

}  // namespace faults_test
