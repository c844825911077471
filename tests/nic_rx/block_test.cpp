// SPDX-License-Identifier: Apache-2.0
// The whole receive datapath in RTL: what it does, against worked cases and the independent reference, and its times.
#include <array>
#include <utility>

#include <gtest/gtest.h>

#include "nic/receive_reference.h"
#include "nic/worked_cases.h"
#include "nic_rx/rx_bench.h"

namespace {

using namespace contraflow;
using namespace contraflow::nic;
using contraflow::testing::expected_of;
using contraflow::testing::random_receive_case;
using contraflow::testing::rx_bench;

// One buffer of 64 KiB in the host's memory at 0x10000, entry 0.
receive_case one_buffer(memory_space space = memory_space::host) {
    receive_case c;
    c.name = "one buffer";
    c.node = {1, 2, 3};
    buffer_entry b;
    b.valid = b.writable = true;
    b.process = 5;
    b.base = 0x10000;
    b.length = 0x10000;
    b.space = space;
    b.root = 0x10000;
    c.buffers = {{0, b}};
    std::map<std::uint64_t, std::uint64_t> entries;
    for (std::uint64_t a = b.base; a < b.base + b.length; a += 4096) {
        const std::uint64_t number = a >> page_bits(space);
        entries[entry_address(space, 0x10000, number, 0)] = 0x20001;
        entries[entry_address(space, 0x20000, number, 1)] = 0x40001;
        entries[entry_address(space, 0x40000, number, 2)] = (1ull << 32) + (number << page_bits(space)) + 1;
    }
    c.tables.assign(entries.begin(), entries.end());
    return c;
}

std::vector<std::uint8_t> put(std::uint64_t offset, std::uint32_t length, bool notify = false) {
    packet_header h;
    h.length = static_cast<std::uint16_t>(length);
    h.process = 5;
    h.address = 0x10000 + offset;
    h.notify = notify;
    h.target = {1, 2, 3};
    std::vector<std::uint8_t> payload(length);
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(i * 7 + offset);
    return packet_words(h, payload);
}

TEST(nic_rx_block, worked_cases) {
    const auto file = parse_receive_cases(contraflow::testing::worked_receive_cases());
    ASSERT_TRUE(file.problems.empty());
    ASSERT_EQ(file.cases.size(), 12u);
    for (const receive_case& c : file.cases) {
        SCOPED_TRACE(c.name);
        rx_bench b(c, {});
        b.set_up();
        ASSERT_TRUE(b.run());
        EXPECT_EQ(first_difference(b.result(), *c.expected), "");
        EXPECT_EQ(b.broken, "");
    }
}

TEST(nic_rx_block, random_packets_do_what_the_reference_says) {
    std::array<std::uint64_t, drop_reasons> drops{};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 60);
        rx_bench::behaviour how;
        if (seed % 3 != 0) {
            how.seed = seed;
            how.refuse_dma = seed % 3 == 1 ? 4 : 0;
            how.refuse_table = how.refuse_message = how.refuse_error = 3;
            how.refuse_word = seed % 2 == 0 ? 5 : 0;
        }
        how.ring_entries = seed % 5 == 0 ? 1 : 64;
        rx_bench b(c, how);
        b.set_up();
        ASSERT_TRUE(b.run());
        const auto r = b.result();
        ASSERT_EQ(first_difference(r, expected_of(c)), "");
        ASSERT_EQ(b.broken, "");
        for (unsigned i = 0; i < drop_reasons; ++i) drops[i] += r.counters.drops[i];
    }
    for (unsigned i = 0; i < drop_reasons; ++i) EXPECT_GE(drops[i], 5u) << "the traffic lacks " << drop_names[i];
}

// Cycles from the first word of a packet to its first write.
std::uint64_t until_written(const rx_bench& b, std::uint64_t packet) {
    for (const auto& n : b.log)
        if (n.packet == packet) return n.cycle - b.began.at(packet);
    return 0;
}

TEST(nic_rx_block, first_write_of_a_short_packet_that_hits) {
    auto c = one_buffer();
    c.packets = {put(0, 16)};
    rx_bench b(c, {});
    b.set_up();
    ASSERT_TRUE(b.run());
    b.given.packets.push_back(put(64, 16));
    ASSERT_TRUE(b.run());
    EXPECT_EQ(until_written(b, 1), 3u + 1 + 2 + 1);
}

TEST(nic_rx_block, a_miss_takes_three_reads) {
    auto c = one_buffer();
    c.packets = {put(0, 16)};
    rx_bench b(c, {.table_latency = 7});
    b.set_up();
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.table_reads, 3u);
    EXPECT_EQ(until_written(b, 0), 3u + 1 + 2 + 1 + 3 * (7 + 1));
}

// A write of 16 bytes and fewer is one beat, so its cycle is that of its first one.
TEST(nic_rx_block, first_write_of_the_longest_packet) {
    auto c = one_buffer();
    c.max_payload = 64;
    c.packets = {put(0, 16), put(4096, 16), put(4096, 16), put(8, 4096)};
    rx_bench b(c, {});
    b.set_up();
    ASSERT_TRUE(b.run());
    // 258 words, check, search, two pages that hit; the first piece has 56 bytes in 4 beats.
    EXPECT_EQ(until_written(b, 3), 258u + 1 + 2 + 2 + 3);
}

TEST(nic_rx_block, search_takes_longer_for_later_entries) {
    std::array<std::uint64_t, 2> first{};
    for (const unsigned index : {0u, 63u}) {
        auto c = one_buffer();
        c.buffers[0].first = index;
        c.packets = {put(0, 16)};
        rx_bench b(c, {});
        b.set_up();
        ASSERT_TRUE(b.run());
        first[index == 0 ? 0 : 1] = until_written(b, 0);
    }
    EXPECT_EQ(first[1] - first[0], 7u);
}

TEST(nic_rx_block, long_packets_go_at_line_rate) {
    for (const unsigned max_payload : {64u, 128u, 4096u}) {
        auto c = one_buffer();
        c.max_payload = max_payload;
        constexpr unsigned packets = 40;
        for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(i % 4 * 4096, 4096));
        rx_bench b(c, {});
        b.set_up();
        ASSERT_TRUE(b.run());
        const auto time = b.log.back().cycle - b.log.front().cycle + max_payload / 16;
        EXPECT_GE(packets * 256.0 / static_cast<double>(time), 0.95) << max_payload;
        std::printf("max_payload %u: %.1f %% of 3.2 GB/s\n", max_payload, packets * 25600.0 / static_cast<double>(time));
    }
}

TEST(nic_rx_block, short_packets_go_one_in_twelve_cycles_or_better) {
    auto c = one_buffer();
    c.buffers[0].first = 63;
    constexpr unsigned packets = 300;
    for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(16 * i, 16));
    rx_bench b(c, {.acknowledge_latency = 10});
    b.set_up();
    ASSERT_TRUE(b.run());
    const auto time = b.log.back().cycle - b.log.front().cycle;
    EXPECT_LE(time, 12u * packets);
    EXPECT_GE(time, 9u * (packets - 1) - 40) << "faster than its search";
    std::printf("a short packet each %.2f cycles\n", static_cast<double>(time) / (packets - 1));
}

}  // namespace
